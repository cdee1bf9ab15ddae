package library

import (
	"path/filepath"
	"slices"
	"strings"
)

// environment is what a search depends on, so that tests can have their own.
type environment struct {
	goarch   string
	getenv   func(name string) string
	isDir    func(path string) bool
	isFile   func(path string) bool
	glob     func(pattern string) []string     // in order
	lookPath func(program string) string       // "" if it is not in PATH
	realPath func(path string) (string, error) // without symbolic links
	absolute func(path string) string
}

// candidate is one attempt to open a library.
type candidate struct {
	path string // a file, or a bare name for the loader to find

	// absent says why there is nothing to open: the path is of a folder, or
	// the pattern of folders, that is not there.
	absent string

	// loaded asks for what the process has already, and opens nothing.
	loaded bool

	// companions are opened before it: it needs them, and does not find them by
	// itself in every installation.
	companions []string
}

// sonames are the names of a library, newest first. The number is that of the
// interface: NVRTC's is 11.2 in every CUDA 11 from 11.2 on.
func sonames(k Kind) []string {
	switch k {
	case NVRTC:
		return []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}
	case CUBLAS:
		return []string{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"}
	}
	return []string{"libcuda.so.1"}
}

// wheels are the folders of the Python packages that hold a library, below
// nvidia/ in site-packages. From CUDA 13 on all packages share one folder.
func wheels(k Kind) []string {
	own := "cuda_nvrtc"
	if k == CUBLAS {
		own = "cublas"
	}
	return []string{"cu[0-9]*", own}
}

// candidates returns the attempts to open a library, in order. It opens
// nothing.
func candidates(k Kind, e environment) []candidate {
	s := search{kind: k, env: e}
	if k == Driver {
		if file := e.getenv(DriverVariable); file != "" {
			return []candidate{{path: file}}
		}
		s.loader()
		s.folders("/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/run/opengl-driver/lib")
		return s.found
	}

	if dir := e.getenv(DirVariable); dir != "" {
		s.folders(e.absolute(dir)) // the loader looks for a bare name elsewhere
	}
	if e.getenv(OnlyVariable) == "1" {
		return s.found
	}
	s.alreadyLoaded()
	for _, site := range sitePackages(e) {
		for _, w := range wheels(k) {
			s.pattern(filepath.Join(site, "nvidia", w, "lib"))
		}
	}
	if prefix := e.getenv("CONDA_PREFIX"); prefix != "" {
		s.folders(filepath.Join(prefix, "lib"))
	}
	s.loader()
	for _, root := range []string{e.getenv("CUDA_PATH"), e.getenv("CUDA_HOME"), "/usr/local/cuda"} {
		if root != "" {
			s.toolkit(root)
		}
	}
	s.folders("/usr/lib/wsl/lib")
	return s.found
}

// sitePackages returns patterns of the folders that Python packages are in.
func sitePackages(e environment) []string {
	var prefixes []string
	add := func(prefix string) {
		if !slices.Contains(prefixes, prefix) {
			prefixes = append(prefixes, prefix)
		}
	}
	if env := e.getenv("VIRTUAL_ENV"); env != "" {
		add(env)
	}
	if python := e.lookPath("python3"); python != "" {
		// bin/python3 of a virtual environment is a link to the one it was made
		// from, whose packages it may see as well.
		for _, p := range []string{python, resolved(e, python)} {
			add(filepath.Dir(filepath.Dir(p)))
		}
	}
	var sites []string
	for _, prefix := range prefixes {
		sites = append(sites, filepath.Join(prefix, "lib", "python3*", "site-packages"))
		if prefix == "/usr" {
			// Where Debian's own pip puts packages.
			sites = append(sites, "/usr/local/lib/python3*/dist-packages")
		}
	}
	if home := e.getenv("HOME"); home != "" {
		sites = append(sites, filepath.Join(home, ".local", "lib", "python3*", "site-packages"))
	}
	return sites
}

func resolved(e environment, path string) string {
	if real, err := e.realPath(path); err == nil {
		return real
	}
	return path
}

// search collects candidates; a folder or a name that comes up twice is tried once.
type search struct {
	kind  Kind
	env   environment
	found []candidate
	seen  []string
}

func (s *search) first(path string) bool {
	if slices.Contains(s.seen, path) {
		return false
	}
	s.seen = append(s.seen, path)
	return true
}

func (s *search) alreadyLoaded() {
	for _, name := range sonames(s.kind) {
		s.found = append(s.found, candidate{path: name, loaded: true})
	}
}

// loader leaves the search to dlopen, which also finds what a library needs.
func (s *search) loader() {
	for _, name := range sonames(s.kind) {
		s.found = append(s.found, candidate{path: name})
	}
}

func (s *search) folders(dirs ...string) {
	for _, dir := range dirs {
		dir = filepath.Clean(dir)
		if !s.first(dir) {
			continue
		}
		if !s.env.isDir(dir) {
			absent := "no such folder"
			if s.env.isFile(dir) {
				absent = "it is a file: name the folder that it is in"
			}
			s.found = append(s.found, candidate{path: dir, absent: absent})
			continue
		}
		for _, name := range sonames(s.kind) {
			s.found = append(s.found, candidate{path: filepath.Join(dir, name), companions: s.companions(dir, name)})
		}
	}
}

// companions are the files that lie beside a library and belong to it.
func (s *search) companions(dir, name string) []string {
	_, version, _ := strings.Cut(name, ".so")
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "."), ".")
	switch {
	case s.kind == CUBLAS:
		return s.env.glob(filepath.Join(dir, "libcublasLt.so"+version))
	case s.kind == NVRTC && major != "":
		// Named by the whole version: libnvrtc-builtins.so.11.8 of libnvrtc.so.11.2.
		return s.env.glob(filepath.Join(dir, "libnvrtc-builtins.so."+major+".[0-9]"))
	}
	return nil
}

// pattern is every folder that matches.
func (s *search) pattern(pattern string) {
	if dirs := s.env.glob(pattern); len(dirs) > 0 {
		s.folders(dirs...)
	} else if s.first(pattern) {
		s.found = append(s.found, candidate{path: pattern, absent: "no such folder"})
	}
}

// toolkit is a CUDA toolkit's own arrangement: lib64 is usually a link into
// targets, where cross compilers keep other processors' libraries too.
func (s *search) toolkit(root string) {
	root = filepath.Clean(root)
	if !s.env.isDir(root) {
		if s.first(root) {
			s.found = append(s.found, candidate{path: root, absent: "no such folder"})
		}
		return
	}
	target := "x86_64-linux"
	if s.env.goarch == "arm64" {
		target = "sbsa-linux"
	}
	s.folders(filepath.Join(root, "lib64"), filepath.Join(root, "targets", target, "lib"))
}
