package library

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// machine is an environment made up of variables and folders. A folder is there
// if it, or something below it, is listed.
type machine struct {
	variables map[string]string
	files     []string
	links     map[string]string
	python    string
	goarch    string
}

func (m machine) environment() environment {
	isDir := func(dir string) bool {
		return slices.ContainsFunc(m.files, func(f string) bool { return strings.HasPrefix(f, dir+"/") })
	}
	return environment{
		goarch: m.goarch,
		getenv: func(name string) string { return m.variables[name] },
		isDir:  isDir,
		isFile: func(file string) bool { return slices.Contains(m.files, file) },
		absolute: func(file string) string {
			if !path.IsAbs(file) {
				file = path.Join("/here", file)
			}
			return file
		},
		glob: func(pattern string) []string {
			var found []string
			for _, f := range m.files {
				for ; f != "/"; f = path.Dir(f) {
					if ok, err := filepath.Match(pattern, f); err != nil {
						panic(err)
					} else if ok && !slices.Contains(found, f) {
						found = append(found, f)
					}
				}
			}
			slices.Sort(found)
			return found
		},
		lookPath: func(program string) string {
			if program != "python3" {
				panic("looked for " + program)
			}
			return m.python
		},
		realPath: func(path string) (string, error) {
			if to, ok := m.links[path]; ok {
				return to, nil
			}
			return "", errors.New("no such file")
		},
	}
}

// write shows candidates as lines: "path", "path (why it is absent)",
// "path (loaded)", "path after companion".
func write(found []candidate) []string {
	var lines []string
	for _, c := range found {
		line := c.path
		if c.absent != "" {
			line += " (" + c.absent + ")"
		}
		if c.loaded {
			line += " (loaded)"
		}
		for _, companion := range c.companions {
			line += " after " + companion
		}
		lines = append(lines, line)
	}
	return lines
}

func TestCandidates(t *testing.T) {
	cases := []struct {
		name    string
		kind    Kind
		machine machine
		want    string
	}{
		{
			name: "the driver of an ordinary machine", kind: Driver,
			want: `
				libcuda.so.1
				/usr/lib/wsl/lib (no such folder)
				/usr/local/nvidia/lib64 (no such folder)
				/run/opengl-driver/lib (no such folder)`,
		},
		{
			name: "the driver under WSL", kind: Driver,
			machine: machine{files: []string{"/usr/lib/wsl/lib/libcuda.so.1"}},
			want: `
				libcuda.so.1
				/usr/lib/wsl/lib/libcuda.so.1
				/usr/local/nvidia/lib64 (no such folder)
				/run/opengl-driver/lib (no such folder)`,
		},
		{
			name: "a named driver is the only one", kind: Driver,
			machine: machine{variables: map[string]string{DriverVariable: "/opt/libcuda.so"}, files: []string{"/usr/lib/wsl/lib/libcuda.so.1"}},
			want:    `/opt/libcuda.so`,
		},
		{
			name: "a machine with nothing", kind: NVRTC,
			want: `
				libnvrtc.so.13 (loaded)
				libnvrtc.so.12 (loaded)
				libnvrtc.so.11.2 (loaded)
				libnvrtc.so (loaded)
				libnvrtc.so.13
				libnvrtc.so.12
				libnvrtc.so.11.2
				libnvrtc.so
				/usr/local/cuda (no such folder)
				/usr/lib/wsl/lib (no such folder)`,
		},
		{
			name: "everything at once", kind: CUBLAS,
			machine: machine{
				goarch: "amd64",
				variables: map[string]string{
					DirVariable: "/given/", "VIRTUAL_ENV": "/venv", "CONDA_PREFIX": "/conda",
					"CUDA_PATH": "/cuda-path", "CUDA_HOME": "/usr/local/cuda", "HOME": "/home/me",
				},
				python: "/venv/bin/python3",
				links:  map[string]string{"/venv/bin/python3": "/usr/bin/python3.11"},
				files: []string{
					"/given/libcublas.so.12", "/given/libcublasLt.so.12",
					"/venv/lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.12",
					"/usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libcublas.so.13",
					"/conda/lib/libcublas.so.12",
					"/usr/local/cuda/lib64/libcublas.so.11", "/usr/local/cuda/lib64/libcublasLt.so.11",
					"/usr/local/cuda/targets/x86_64-linux/lib/libcublas.so.11",
				},
			},
			want: `
				/given/libcublas.so.13
				/given/libcublas.so.12 after /given/libcublasLt.so.12
				/given/libcublas.so.11
				/given/libcublas.so
				libcublas.so.13 (loaded)
				libcublas.so.12 (loaded)
				libcublas.so.11 (loaded)
				libcublas.so (loaded)
				/venv/lib/python3*/site-packages/nvidia/cu[0-9]*/lib (no such folder)
				/venv/lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.13
				/venv/lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.12
				/venv/lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.11
				/venv/lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so
				/usr/lib/python3*/site-packages/nvidia/cu[0-9]*/lib (no such folder)
				/usr/lib/python3*/site-packages/nvidia/cublas/lib (no such folder)
				/usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libcublas.so.13
				/usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libcublas.so.12
				/usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libcublas.so.11
				/usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libcublas.so
				/usr/local/lib/python3*/dist-packages/nvidia/cublas/lib (no such folder)
				/home/me/.local/lib/python3*/site-packages/nvidia/cu[0-9]*/lib (no such folder)
				/home/me/.local/lib/python3*/site-packages/nvidia/cublas/lib (no such folder)
				/conda/lib/libcublas.so.13
				/conda/lib/libcublas.so.12
				/conda/lib/libcublas.so.11
				/conda/lib/libcublas.so
				libcublas.so.13
				libcublas.so.12
				libcublas.so.11
				libcublas.so
				/cuda-path (no such folder)
				/usr/local/cuda/lib64/libcublas.so.13
				/usr/local/cuda/lib64/libcublas.so.12
				/usr/local/cuda/lib64/libcublas.so.11 after /usr/local/cuda/lib64/libcublasLt.so.11
				/usr/local/cuda/lib64/libcublas.so
				/usr/local/cuda/targets/x86_64-linux/lib/libcublas.so.13
				/usr/local/cuda/targets/x86_64-linux/lib/libcublas.so.12
				/usr/local/cuda/targets/x86_64-linux/lib/libcublas.so.11
				/usr/local/cuda/targets/x86_64-linux/lib/libcublas.so
				/usr/lib/wsl/lib (no such folder)`,
		},
		{
			name: "the toolkit of an arm64 server", kind: NVRTC,
			machine: machine{
				goarch: "arm64",
				variables: map[string]string{
					DirVariable: "/toolkit/targets/sbsa-linux/lib", OnlyVariable: "0", "CUDA_PATH": "/toolkit", "CUDA_HOME": "/toolkit",
				},
				files: []string{
					"/toolkit/targets/sbsa-linux/lib/libnvrtc.so.11.2",
					"/toolkit/targets/sbsa-linux/lib/libnvrtc-builtins.so.11.8",
					"/toolkit/targets/sbsa-linux/lib/libnvrtc-builtins.so.11.8.89",
				},
			},
			// A folder that was tried is not tried again.
			want: `
				/toolkit/targets/sbsa-linux/lib/libnvrtc.so.13
				/toolkit/targets/sbsa-linux/lib/libnvrtc.so.12
				/toolkit/targets/sbsa-linux/lib/libnvrtc.so.11.2 after /toolkit/targets/sbsa-linux/lib/libnvrtc-builtins.so.11.8
				/toolkit/targets/sbsa-linux/lib/libnvrtc.so
				libnvrtc.so.13 (loaded)
				libnvrtc.so.12 (loaded)
				libnvrtc.so.11.2 (loaded)
				libnvrtc.so (loaded)
				libnvrtc.so.13
				libnvrtc.so.12
				libnvrtc.so.11.2
				libnvrtc.so
				/toolkit/lib64 (no such folder)
				/usr/local/cuda (no such folder)
				/usr/lib/wsl/lib (no such folder)`,
		},
		{
			name: "a given folder that is not there, and no other", kind: CUBLAS,
			machine: machine{variables: map[string]string{DirVariable: "/given", OnlyVariable: "1", "CUDA_PATH": "/cuda-path"}},
			want:    `/given (no such folder)`,
		},
		{
			name: "a given folder is where the program was started", kind: CUBLAS,
			machine: machine{
				variables: map[string]string{DirVariable: ".", OnlyVariable: "1"},
				files:     []string{"/here/libcublas.so.12"},
			},
			want: `
				/here/libcublas.so.13
				/here/libcublas.so.12
				/here/libcublas.so.11
				/here/libcublas.so`,
		},
		{
			name: "a given folder is a file", kind: CUBLAS,
			machine: machine{
				variables: map[string]string{DirVariable: "/my libraries/libcublas.so.12", OnlyVariable: "1"},
				files:     []string{"/my libraries/libcublas.so.12"},
			},
			want: `/my libraries/libcublas.so.12 (it is a file: name the folder that it is in)`,
		},
		{
			name: "no folder is given, and no other is wanted", kind: CUBLAS,
			machine: machine{variables: map[string]string{OnlyVariable: "1", "CUDA_PATH": "/cuda-path"}},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var want []string
			for line := range strings.Lines(c.want) {
				if line = strings.TrimSpace(line); line != "" {
					want = append(want, line)
				}
			}
			got := write(candidates(c.kind, c.machine.environment()))
			if !slices.Equal(got, want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
		})
	}
}
