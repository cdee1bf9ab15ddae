package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"workbench/engine/wholefile"
)

// manifestName is the file in dist that says what the others are.
const manifestName = "manifest.json"

// A manifest describes the content of dist.
type manifest struct {
	Version  int               `json:"version"`
	Lock     string            `json:"lock"`     // SHA-256 of package-lock.json
	Recipe   string            `json:"recipe"`   // SHA-256 of what this program would do
	Packages map[string]string `json:"packages"` // version by name
	Files    []file            `json:"files"`    // by name
}

// A file is one file of dist.
type file struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`

	content []byte
}

// A staleError says why dist is not what the lock file asks for.
type staleError struct{ reason string }

func (e *staleError) Error() string {
	return "dist is not current: " + e.reason + "; run go run ./assets/bundle"
}

// build writes dist and returns what is in it. The manifest is written last,
// so that a build which was interrupted never looks current.
func build(dir string) ([]file, error) {
	lock, err := readLock(dir)
	if err != nil {
		return nil, err
	}
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing: run `npm ci --prefix %s` first (it needs npm and, once, a network), or go on without: every page works without the bundles", modules, dir)
	}
	m := manifest{Version: 1, Lock: lock.hash, Recipe: recipeHash(), Packages: map[string]string{}}
	for _, name := range packages {
		installed, err := installedVersion(modules, name)
		if err != nil {
			return nil, err
		}
		if installed != lock.versions[name] {
			return nil, fmt.Errorf("%s %s is installed and %s is locked: run `npm ci --prefix %s`", name, installed, lock.versions[name], dir)
		}
		m.Packages[name] = installed
	}

	for _, b := range bundles {
		content, err := bundled(dir, b)
		if err != nil {
			return nil, err
		}
		m.Files = append(m.Files, newFile(b.name, content))
	}
	for _, c := range copies {
		content, err := os.ReadFile(filepath.Join(modules, filepath.FromSlash(c.from)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		m.Files = append(m.Files, newFile(c.name, content))
	}
	texts, err := licenceTexts(modules)
	if err != nil {
		return nil, err
	}
	m.Files = append(m.Files, newFile(licencesName, texts))
	sort.Slice(m.Files, func(i, j int) bool { return m.Files[i].Name < m.Files[j].Name })

	return m.Files, write(filepath.Join(dir, "dist"), m)
}

// bundled returns the module that esbuild makes of a bundle's entry.
func bundled(dir string, b bundle) ([]byte, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		Stdin:             &api.StdinOptions{Contents: b.entry, ResolveDir: root, Sourcefile: b.name, Loader: api.LoaderJS},
		AbsWorkingDir:     root,
		Bundle:            true,
		Write:             false,
		Outfile:           filepath.Join(root, "dist", b.name),
		Format:            api.FormatESModule,
		Platform:          api.PlatformBrowser,
		Target:            api.ES2022,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Charset:           api.CharsetUTF8,
		TreeShaking:       api.TreeShakingTrue,
		// The licence texts are in a file of their own.
		LegalComments: api.LegalCommentsNone,
		Define:        map[string]string{"process.env.NODE_ENV": `"production"`},
		LogLevel:      api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		text := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, fmt.Errorf("%s: %s", b.name, strings.TrimSpace(strings.Join(text, "")))
	}
	if len(result.OutputFiles) != 1 {
		return nil, fmt.Errorf("%s: esbuild wrote %d files and one was expected", b.name, len(result.OutputFiles))
	}
	return result.OutputFiles[0].Contents, nil
}

func licenceTexts(modules string) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("Licences of the third-party code in this folder.\n")
	for _, l := range licences {
		text, err := os.ReadFile(filepath.Join(modules, filepath.FromSlash(l.from)))
		if err != nil {
			return nil, fmt.Errorf("licence of %s: %w", l.title, err)
		}
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", l.title, strings.Repeat("=", len(l.title)), bytes.TrimSpace(text))
	}
	return out.Bytes(), nil
}

// write puts the files in place one by one, each whole or not at all, and
// removes what an earlier manifest lists and this one does not.
func write(dist string, m manifest) error {
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, f := range m.Files {
		keep[f.Name] = true
		if err := wholefile.Write(filepath.Join(dist, f.Name), f.content, 0o644); err != nil {
			return err
		}
	}
	if old, err := readManifest(dist); err == nil {
		for _, f := range old.Files {
			if !keep[f.Name] && filepath.IsLocal(f.Name) {
				if err := os.Remove(filepath.Join(dist, f.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
		}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dist, manifestName), append(text, '\n'), 0o644)
}

func newFile(name string, content []byte) file {
	return file{Name: name, Bytes: len(content), SHA256: hash(content), content: content}
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
