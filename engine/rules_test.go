package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The rules of the house: which package may import which, and why. They hold
// for every Go file that ships, whatever it is built for; tests may import
// what they like.

const module = "workbench"

// layers lists, for each package of the engine, the packages of the module it
// may import. Dependencies point one way: a package that is not in its row
// would turn one round.
var layers = map[string][]string{
	// Files, for whoever writes any.
	"engine/wholefile": {},

	"engine/scalar":   {},
	"engine/dtype":    {},
	"engine/tensor":   {},
	"engine/bpe":      {},
	"engine/device":   {"engine/tensor", "engine/dtype"},
	"engine/compare":  {"engine/device", "engine/tensor", "engine/dtype", "engine/scalar"},
	"engine/cpu":      {"engine/device", "engine/tensor", "engine/dtype", "engine/scalar"},
	"engine/autograd": {"engine/device", "engine/tensor", "engine/dtype", "engine/scalar"},
	"engine/decoder":  {"engine/autograd", "engine/device", "engine/tensor", "engine/scalar"},
	"engine/trace":    {"engine/decoder", "engine/autograd", "engine/bpe", "engine/compare", "engine/device", "engine/tensor", "engine/dtype", "engine/scalar"},
	"engine/conform":  {"engine/device", "engine/tensor", "engine/dtype", "engine/scalar"},
	"engine/launch":   {"engine/device"},
	"engine/staged":   {"engine/device", "engine/dtype", "engine/launch", "engine/tensor"},
	"engine":          {"engine/cpu", "engine/cuda", "engine/cuda/check", "engine/cuda/worker", "engine/device", "engine/launch", "engine/simt", "engine/simt/emulator", "engine"},

	// What the GPU code calls of NVIDIA's libraries, declared.
	"engine/cuda/nvidia":         {},
	"engine/cuda/gorgonia":       {"engine/cuda/nvidia"},
	"engine/cuda/cublas":         {"engine/cuda/library", "engine/cuda/nvidia"},
	"engine/cuda/driver":         {"engine/cuda/library", "engine/cuda/nvidia"},
	"engine/cuda/native":         {"engine/cuda/driver", "engine/cuda/gorgonia", "engine/cuda/nvidia"},
	"engine/cuda/nvidia/conform": {"engine/cuda/nvidia"},
	"engine/cuda/library":        {"engine/cuda/nvidia"},

	// NVRTC, and what it makes of a kernel; ptx is run by go generate.
	"engine/cuda/nvrtc":       {"engine/cuda/library", "engine/cuda/nvidia"},
	"engine/cuda/compile":     {"engine/cuda/nvidia", "engine/device", "engine/launch", "kernels/prelude"},
	"engine/cuda/compile/ptx": {"engine/cuda/compile", "engine/cuda/nvidia", "engine/cuda/nvrtc", "engine/device", "kernels"},

	// The same libraries without a GPU, for tests.
	"engine/cuda/fake": {"engine/cuda/nvidia", "engine/device", "engine/dtype", "engine/scalar", "kernels/matmul"},

	// One GPU as one thread uses it.
	"engine/cuda/session": {"engine/cuda/compile", "engine/cuda/nvidia", "engine/device", "engine/launch", "engine/staged", "kernels", "kernels/matmul"},

	// The process that owns a GPU, and the program's side of it.
	"engine/cuda/worker": {"engine/cuda/nvidia", "engine/cuda/session", "engine/device", "engine/launch", "engine/tensor"},

	// A GPU as a device.
	"engine/cuda": {"engine/cuda/compile", "engine/cuda/cublas", "engine/cuda/library", "engine/cuda/native", "engine/cuda/nvidia", "engine/cuda/nvrtc", "engine/cuda/session", "engine/cuda/worker", "engine/device", "engine/launch", "engine/staged"},

	// What a GPU is checked for, and the report.
	"engine/cuda/check": {
		"engine/compare", "engine/conform", "engine/cuda", "engine/cuda/compile", "engine/cuda/library", "engine/cuda/native", "engine/cuda/nvidia", "engine/cuda/nvidia/conform",
		"engine/cuda/session", "engine/cuda/worker", "engine/device", "engine/dtype", "engine/launch", "engine/tensor", "engine/trace",
		"engine/wholefile",
		"kernels", "kernels/add", "kernels/conform", "kernels/embedding", "kernels/matmul", "kernels/rmsnorm", "kernels/softmax", "kernels/sumsq",
	},

	"engine/launchfile": {"engine/device", "engine/dtype", "engine/launch"},

	// The versions of the product beside a library's.
	"engine/ladder": {"engine/device", "engine/launch", "engine/tensor", "kernels/add", "kernels/matmul"},

	// A kernel with its launches and what should come out, on whatever launcher.
	"engine/experiment": {"engine/compare", "engine/device", "engine/launch", "engine/launchfile", "engine/tensor"},

	"engine/simt": {"engine/device", "engine/launch", "engine/simt/front", "engine/simt/record", "engine/simt/run", "engine/simt/source", "engine/simt/watch"},

	// The emulator as a device.
	"engine/simt/emulator": {"engine/device", "engine/simt", "engine/simt/front", "engine/simt/run", "engine/staged", "kernels/matmul"},

	// The emulator, from CUDA C to registers.
	"engine/simt/source":     {},
	"engine/simt/preprocess": {"engine/simt/source"},
	"engine/simt/types":      {},
	"engine/simt/header":     {"engine/simt/source"},
	"engine/simt/syntax":     {"engine/simt/preprocess", "engine/simt/source"},
	"engine/simt/check":      {"engine/dtype", "engine/simt/source", "engine/simt/syntax", "engine/simt/types"},
	"engine/simt/lower":      {"engine/simt/check", "engine/simt/code", "engine/simt/source", "engine/simt/types"},
	"engine/simt/front":      {"engine/simt/check", "engine/simt/code", "engine/simt/header", "engine/simt/lower", "engine/simt/preprocess", "engine/simt/source", "engine/simt/syntax"},
	"engine/simt/code":       {"engine/simt/types"},
	"engine/simt/watch":      {"engine/launch", "engine/simt/code", "engine/simt/run", "engine/simt/types", "engine/simt/watch/race"},
	"engine/simt/watch/race": {},
	"engine/simt/record":     {"engine/dtype", "engine/launch", "engine/simt/code", "engine/simt/run", "engine/simt/types"},
	"engine/simt/run":        {"engine/device", "engine/dtype", "engine/launch", "engine/scalar", "engine/simt/code", "engine/simt/types"},

	// CUDA C with its checked launches: content that devices run.
	"kernels/prelude":   {},
	"kernels/source":    {"engine/device", "engine/launch"},
	"kernels/add":       {"engine/device", "engine/launch", "kernels/source"},
	"kernels/softmax":   {"engine/device", "engine/launch", "kernels/source"},
	"kernels/rmsnorm":   {"engine/device", "engine/launch", "kernels/source"},
	"kernels/sumsq":     {"engine/device", "engine/launch", "kernels/source"},
	"kernels/matmul":    {"engine/device", "engine/launch", "kernels/source"},
	"kernels/embedding": {"engine/device", "engine/launch", "kernels/source"},
	"kernels/conform": {
		"engine/compare", "engine/device", "engine/dtype", "engine/launch", "engine/scalar",
		"kernels/add", "kernels/embedding", "kernels/matmul", "kernels/rmsnorm", "kernels/softmax", "kernels/sumsq",
	},
	"kernels": {
		"engine/device", "engine/launch",
		"kernels/add", "kernels/embedding", "kernels/matmul", "kernels/rmsnorm", "kernels/softmax", "kernels/source", "kernels/sumsq",
	},
}

// A ban keeps packages from importing others.
type ban struct {
	from   []string // packages; "web/..." means that one and all below it
	except []string
	to     []string // import paths; "…/..." likewise
	but    []string // of to, what may be imported all the same
	reason string
}

var bans = []ban{
	{
		from: []string{"engine/..."}, to: []string{"net/...", "html/...", "embed", "mime/...", "text/template"},
		reason: "nothing below the front door knows HTTP, HTML or files of the course",
	},
	{
		from: []string{"engine/..."}, to: []string{module + "/web/...", module + "/chapters/...", module + "/assets/...", module + "/lessons/...", module + "/cmd/..."},
		reason: "the engine serves the course and knows nothing of it",
	},
	{
		from: []string{"engine/...", "web/...", "chapters/...", "assets/...", "cmd/..."}, except: []string{"engine", "engine/cuda/..."},
		to:     []string{module + "/engine/cpu", module + "/engine/cuda/...", module + "/engine/simt/emulator"},
		reason: "only the front door imports a device; everything else is handed an opened one",
	},
	{
		from: []string{"web/...", "chapters/...", "assets/..."}, to: []string{module + "/engine"},
		reason: "cmd opens devices and hands them over: a page cannot open one by itself",
	},
	{
		from:   []string{"web/..."},
		to:     []string{module + "/engine/autograd", module + "/engine/decoder", module + "/engine/scalar", module + "/engine/dtype", module + "/engine/bpe"},
		reason: "web does no arithmetic on results: it shows what a trace or a report says",
	},
	{
		from: []string{"web/..."}, except: []string{"web/exercise/exercisetest"}, // which is for tests
		to: []string{module + "/lessons/..."}, but: []string{module + "/lessons", module + "/lessons/lesson"},
		reason: "web shows what exercises are and what came of them: it is handed whoever reads that, and can check none",
	},
	{
		from:   []string{"lessons/..."},
		to:     []string{module + "/web/...", module + "/cmd/...", module + "/chapters/...", module + "/assets/...", module + "/engine", module + "/engine/cpu", module + "/engine/cuda/...", module + "/engine/simt/..."},
		reason: "exercises are handed opened devices, and know nothing of who shows them",
	},
	{
		from: []string{"chapters/...", "assets/..."}, to: []string{module + "/engine/...", module + "/web/...", module + "/cmd/..."}, but: []string{module + "/engine/wholefile"},
		reason: "content holds no logic",
	},
	{
		from: []string{"engine/...", "web/...", "chapters/...", "assets/...", "lessons/..."}, to: []string{module + "/cmd/..."},
		reason: "commands call packages, never the other way round",
	},
	{
		from: []string{"engine/...", "kernels/...", "web/...", "chapters/...", "assets/...", "lessons/...", "cmd/..."}, except: []string{"engine/cuda/..."},
		to:     []string{"unsafe", "C", "plugin", "github.com/ebitengine/purego/...", "gorgonia.org/cu/..."},
		reason: "the native boundary lies below engine/cuda: everything else is memory-safe pure Go and Go assembly",
	},
	{
		from:   []string{"engine/...", "kernels/...", "web/...", "chapters/...", "assets/...", "lessons/...", "cmd/..."},
		to:     []string{module + "/engine/cuda/fake"},
		reason: "what pretends to be a GPU is for tests: a program that ships must not be able to take it for one",
	},
	{
		from: []string{"engine/..."}, except: []string{"engine/conform", "engine/cuda/...", "engine/simt", "engine/simt/emulator", "engine"}, // which test, drive and time devices and compute no result
		to:     []string{"math/rand/...", "math/big", "math/cmplx", "time"},
		reason: "a result depends on its inputs alone, with the same bits everywhere: random numbers are the decoder's own, seeded",
	},
}

// source is one Go file that ships.
type source struct {
	dir  string // of its package, from the repository's root
	name string // of the file, from the repository's root
	file *ast.File
}

// sources reads every Go file of the repository that is no test.
func sources(t *testing.T) (*token.FileSet, []source) {
	t.Helper()
	root := os.DirFS("..")
	fset := token.NewFileSet()
	var out []source
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == "exercises") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(fset, filepath.Join("..", name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		out = append(out, source{dir: path.Dir(name), name: name, file: file})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fset, out
}

// matches reports whether name is pattern or, if that ends in /..., below it.
func matches(pattern, name string) bool {
	base, tree := strings.CutSuffix(pattern, "/...")
	return name == base || tree && strings.HasPrefix(name, base+"/")
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

func TestImports(t *testing.T) {
	_, files := sources(t)
	packages := map[string]bool{}
	for _, f := range files {
		packages[f.dir] = true
		allowed, layered := layers[f.dir]
		if !layered && matchesAny([]string{"engine/...", "kernels/..."}, f.dir) {
			t.Errorf("%s: package %s is new: say in layers what it may import", f.name, f.dir)
		}
		for _, spec := range f.file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range bans {
				if matchesAny(b.from, f.dir) && !matchesAny(b.except, f.dir) && matchesAny(b.to, imported) && !matchesAny(b.but, imported) {
					t.Errorf("%s imports %s: %s", f.name, imported, b.reason)
				}
			}
			if own, ok := strings.CutPrefix(imported, module+"/"); ok && layered && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s, which is not below %s: dependencies point one way", f.name, own, f.dir)
			}
		}
	}

	// A rule about a package that is gone holds by itself and says nothing.
	exists := func(pattern string) bool {
		for p := range packages {
			if matches(pattern, p) {
				return true
			}
		}
		return false
	}
	for name, allowed := range layers {
		for _, p := range append([]string{name}, allowed...) {
			if !packages[p] {
				t.Errorf("layers lists package %s, which is not there", p)
			}
		}
	}
	for _, b := range bans {
		listed := slices.Concat(b.from, b.except)
		for _, to := range slices.Concat(b.to, b.but) {
			if own, ok := strings.CutPrefix(to, module+"/"); ok {
				listed = append(listed, own)
			}
		}
		for _, p := range listed {
			if !exists(p) {
				t.Errorf("a ban lists %s, which is not there (%s)", p, b.reason)
			}
		}
	}
}

// elementary are the functions of package math whose bits differ between
// processors, or between one with and one without fused multiply-add.
var elementary = []string{
	"Acos", "Acosh", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "Cbrt", "Cos", "Cosh", "Erf", "Erfc", "Erfcinv", "Erfinv",
	"Exp", "Exp2", "Expm1", "Gamma", "Hypot", "J0", "J1", "Jn", "Lgamma", "Log", "Log10", "Log1p", "Log2", "Pow", "Pow10",
	"Sin", "Sincos", "Sinh", "Tan", "Tanh", "Y0", "Y1", "Yn",
}

func TestElementaryFunctions(t *testing.T) {
	fset, files := sources(t)
	used := map[string]bool{}
	for _, f := range files {
		if !matches("engine/...", f.dir) || !imports(f.file, "math") {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := selector.X.(*ast.Ident); ok && of.Name == "math" {
				used[selector.Sel.Name] = true
				if slices.Contains(elementary, selector.Sel.Name) {
					t.Errorf("%s: math.%s has different bits on different processors: use workbench/engine/scalar", fset.Position(n.Pos()), selector.Sel.Name)
				}
			}
			return true
		})
	}
	// Were package math called by another name, nothing would be found.
	if !used["Float64bits"] {
		t.Error("no use of math.Float64bits was found in the engine: this test no longer sees how it uses package math")
	}
}

func imports(file *ast.File, name string) bool {
	return slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool {
		return s.Path.Value == strconv.Quote(name)
	})
}
