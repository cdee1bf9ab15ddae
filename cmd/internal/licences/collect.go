package licences

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Collect finds every component of the repository at root. A component whose
// files are not at hand has no text: browser packages before npm ci.
func Collect(root string) ([]Component, error) {
	modules, err := goModules(root)
	if err != nil {
		return nil, err
	}
	packages, err := npmPackages(filepath.Join(root, "assets"))
	if err != nil {
		return nil, err
	}
	return append(modules, packages...), nil
}

// module is what the go command tells of one.
type module struct {
	Path, Version, Dir string
	Main               bool
	GoVersion          string
}

// goModules returns the modules whose packages are built, and Go's own library.
func goModules(root string) ([]Component, error) {
	seen := map[string]bool{}
	var out []Component
	// The first use that a module has is the one that counts.
	for _, u := range []struct {
		use  Use
		args []string
	}{
		{Program, []string{"./cmd/workbench"}},
		{Tools, []string{"./assets/bundle"}},
		{Tests, []string{"-test", "./..."}},
		{Tools, []string{"tool"}},
	} {
		found, err := listModules(root, u.args...)
		if err != nil {
			return nil, err
		}
		for _, path := range slices.Sorted(maps.Keys(found)) {
			if seen[path] {
				continue
			}
			seen[path] = true
			m := found[path]
			c := Component{Name: path, Version: m.Version, Use: u.use}
			if m.Main {
				// Our own module stands for Go's library, which every Go
				// program contains.
				c, err = goLibrary(m)
			} else {
				c, err = read(c, m.Dir)
			}
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// listModules returns the modules of all packages that args need, by path.
func listModules(root string, args ...string) (map[string]module, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Module"}, args...)...)
	cmd.Dir = root
	// The list is of one system, so that it is the same wherever it is made.
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := err.(*exec.ExitError); ok {
			return nil, fmt.Errorf("%s: %v: %s", strings.Join(cmd.Args, " "), err, exit.Stderr)
		}
		return nil, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	found := map[string]module{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var p struct{ Module *module }
		if err := decoder.Decode(&p); err != nil {
			return nil, err
		}
		if p.Module != nil {
			found[p.Module.Path] = *p.Module
		}
	}
	return found, nil
}

// goLibrary returns Go's own library. The version is that of the language that
// the module asks for: any newer Go may build it. Some systems package Go
// without its licence file; then the text is not at hand.
func goLibrary(m module) (Component, error) {
	version := strings.Join(strings.SplitN(m.GoVersion, ".", 3)[:2], ".")
	c := Component{Name: "Go standard library", Version: version, Licence: "BSD-3-Clause", Use: Program}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return c, fmt.Errorf("go env GOROOT: %w", err)
	}
	dir := strings.TrimSpace(string(out))
	if _, err := os.Stat(filepath.Join(dir, "LICENSE")); err != nil {
		return c, nil
	}
	return read(c, dir)
}

// npmPackages returns the packages of the lock file in dir.
func npmPackages(dir string) ([]Component, error) {
	text, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev              bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	var out []Component
	for _, path := range slices.Sorted(maps.Keys(lock.Packages)) {
		name, ok := strings.CutPrefix(path, "node_modules/")
		if !ok {
			continue // the entry of our own package
		}
		p := lock.Packages[path]
		c := Component{Name: name, Version: p.Version, Licence: p.License, Use: Browser}
		if p.Dev {
			c.Use = Tools
		}
		if _, err := os.Stat(filepath.Join(dir, path)); err == nil {
			declared := c.Licence
			if c, err = read(c, filepath.Join(dir, path)); err != nil {
				return nil, err
			}
			if !slices.Contains(strings.Split(c.Licence, " AND "), declared) {
				return nil, fmt.Errorf("%s: its package says %s and its licence file %s", name, declared, c.Licence)
			}
			// What it says of itself is what the lock file says, with or
			// without the files at hand.
			c.Licence = declared
		}
		out = append(out, c)
	}
	return out, nil
}

// licenceFile and noticeFile match the names that projects give these files.
var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying)(-(mit|bsd|apache))?(\.(md|txt))?$`)
	noticeFile  = regexp.MustCompile(`(?i)^(notice|copyrightnotice|patents)(\.(md|txt))?$`)
)

// read fills in the licence and its text from the files in dir.
func read(c Component, dir string) (Component, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return c, fmt.Errorf("%s: %w", c.Name, err)
	}
	var texts, notices []string
	for _, e := range entries {
		licence, notice := licenceFile.MatchString(e.Name()), noticeFile.MatchString(e.Name())
		if e.IsDir() || !licence && !notice {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return c, fmt.Errorf("%s: %w", c.Name, err)
		}
		plain := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
		if licence {
			texts = append(texts, plain)
		} else {
			notices = append(notices, plain)
		}
	}
	if len(texts) == 0 {
		return c, fmt.Errorf("%s %s: there is no licence file in %s", c.Name, c.Version, dir)
	}
	if c.Licence, err = Classify(strings.Join(texts, "\n\n")); err != nil {
		return c, fmt.Errorf("%s %s: %w", c.Name, c.Version, err)
	}
	c.Text = strings.Join(append(texts, notices...), "\n\n")
	return c, nil
}
