package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A lockFile is what package-lock.json pins.
type lockFile struct {
	hash     string
	versions map[string]string // by package name
}

func readLock(dir string) (*lockFile, error) {
	name := filepath.Join(dir, "package-lock.json")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the lock file cannot be read: %w; run this from the repository's root or give -dir", err)
	}
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	// Git may check a text out with other line ends; the pins are the same.
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	out := &lockFile{hash: hash(text), versions: map[string]string{}}
	for _, p := range packages {
		version := lock.Packages["node_modules/"+p].Version
		if version == "" {
			return nil, fmt.Errorf("%s does not pin %s: run `npm install --package-lock-only --prefix %s`", name, p, dir)
		}
		out.versions[p] = version
	}
	return out, nil
}

func installedVersion(modules, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(modules, name, "package.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s is not in %s: run `npm ci --prefix %s`", name, modules, filepath.Dir(modules))
	}
	if err != nil {
		return "", err
	}
	var p struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Join(modules, name, "package.json"), err)
	}
	return p.Version, nil
}

func readManifest(dist string) (*manifest, error) {
	text, err := os.ReadFile(filepath.Join(dist, manifestName))
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dist, manifestName), err)
	}
	return &m, nil
}

// recipeHash changes when this program would make something else of the same
// packages.
func recipeHash() string {
	return hash(fmt.Appendf(nil, "%q %q %q", bundles, copies, licences))
}

// checkCurrent returns nil if dist holds what build would write for the lock
// file, a *staleError if it does not, and another error if that cannot be told.
func checkCurrent(dir string) error {
	lock, err := readLock(dir)
	if err != nil {
		return err
	}
	dist := filepath.Join(dir, "dist")
	m, err := readManifest(dist)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &staleError{"it has no " + manifestName}
	case err != nil:
		return &staleError{err.Error()}
	case m.Lock != lock.hash:
		return &staleError{"it was made from another package-lock.json"}
	case m.Recipe != recipeHash():
		return &staleError{"it was made by another version of assets/bundle"}
	}
	for _, f := range m.Files {
		content, err := os.ReadFile(filepath.Join(dist, f.Name))
		if err != nil {
			return &staleError{f.Name + " cannot be read"}
		}
		if hash(content) != f.SHA256 {
			return &staleError{f.Name + " was changed"}
		}
	}
	return nil
}
