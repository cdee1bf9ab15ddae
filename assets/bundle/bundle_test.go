package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tree writes a folder with a lock file and packages just large enough to be
// bundled, so that no test needs npm or a network.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"dist/README.md": "kept",
		"node_modules/echarts/package.json": `{"name": "echarts", "version": "6.1.0", "sideEffects": false, "exports": {
			"./core": "./core.js", "./charts": "./charts.js", "./components": "./components.js", "./renderers": "./renderers.js"}}`,
		"node_modules/echarts/core.js":             "export function init() { return 'a chart' }\nexport function use(parts) { return parts }",
		"node_modules/echarts/charts.js":           "export const BarChart = 1, LineChart = 2, PieChart = 'a pie that no page shows'",
		"node_modules/echarts/components.js":       "export const AriaComponent = 1, DatasetComponent = 2, GridComponent = 3, LegendComponent = 4, TitleComponent = 5, TooltipComponent = 6",
		"node_modules/echarts/renderers.js":        "export const SVGRenderer = 1",
		"node_modules/echarts/LICENSE":             "the licence of echarts",
		"node_modules/echarts/NOTICE":              "the notice of echarts",
		"node_modules/echarts/licenses/LICENSE-d3": "the licence of d3",
		"node_modules/temml/package.json":          `{"name": "temml", "version": "0.13.5", "main": "temml.js"}`,
		"node_modules/temml/temml.js":              "export default { render() {} }",
		"node_modules/temml/LICENSE":               "the licence of temml",
		"node_modules/temml/dist/Temml-Local.css":  "math {}",
		"node_modules/temml/dist/Temml.woff2":      "a font",
		"node_modules/tslib/package.json":          `{"version": "2.3.0"}`,
		"node_modules/tslib/LICENSE.txt":           "the licence of tslib",
		"node_modules/zrender/package.json":        `{"version": "6.1.0"}`,
		"node_modules/zrender/LICENSE":             "the licence of zrender",
	}
	versions := map[string]string{"echarts": "6.1.0", "temml": "0.13.5", "tslib": "2.3.0", "zrender": "6.1.0"}
	for _, name := range packages {
		if versions[name] == "" {
			versions[name] = "1.0.0"
			folder := "node_modules/" + name
			files[folder+"/package.json"] = fmt.Sprintf(`{"name": %q, "version": "1.0.0", "main": "index.js"}`, name)
			files[folder+"/index.js"] = exportsOf(name)
			files[folder+"/LICENSE"] = "the licence of " + name
		}
	}
	files["package-lock.json"] = lockOf(t, versions)
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	return dir
}

var exported = regexp.MustCompile(`export \{([^}]*)\} from '([^']*)'`)

// exportsOf writes a module with everything that a bundle takes from a package.
func exportsOf(name string) string {
	var out strings.Builder
	for _, b := range bundles {
		for _, m := range exported.FindAllStringSubmatch(b.entry, -1) {
			if m[2] != name {
				continue
			}
			for word := range strings.SplitSeq(m[1], ",") {
				if word = strings.TrimSpace(word); word != "" {
					fmt.Fprintf(&out, "export const %s = 'the %[1]s of %s';\n", word, name)
				}
			}
		}
	}
	return out.String()
}

// lockOf writes a lock file that pins those versions.
func lockOf(t *testing.T, versions map[string]string) string {
	t.Helper()
	pins := map[string]map[string]string{}
	for name, version := range versions {
		pins["node_modules/"+name] = map[string]string{"version": version}
	}
	text, err := json.MarshalIndent(map[string]any{"packages": pins}, "", "\t") // of several lines, as npm writes it
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestBuild(t *testing.T) {
	dir := tree(t)
	if _, err := build(dir); err != nil {
		t.Fatal(err)
	}
	if err := checkCurrent(dir); err != nil {
		t.Errorf("after a build: %v", err)
	}
	charts := get(t, filepath.Join(dir, "dist", "echarts.js"))
	if !strings.Contains(charts, "a chart") || !strings.Contains(charts, "export{") {
		t.Errorf("echarts.js is not the module of its package: %s", charts)
	}
	if strings.Contains(charts, "a pie") {
		t.Error("echarts.js holds a chart type that no page uses")
	}
	if editor := get(t, filepath.Join(dir, "dist", "codemirror.js")); !strings.Contains(editor, "the EditorView of @codemirror/view") {
		t.Errorf("codemirror.js is not made of its packages: %s", editor)
	}
	texts := get(t, filepath.Join(dir, "dist", licencesName))
	for _, want := range []string{"licence of echarts", "notice of echarts", "licence of d3", "licence of zrender", "licence of tslib", "licence of temml", "licence of @codemirror/view", "licence of style-mod"} {
		if !strings.Contains(texts, want) {
			t.Errorf("%s lacks the %s", licencesName, want)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "dist"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got, want := strings.Join(names, " "), "LICENSES.txt README.md Temml.woff2 codemirror.js echarts.js manifest.json temml.css temml.js"; got != want {
		t.Errorf("dist holds %s, want %s", got, want)
	}
}

func TestCheckSaysWhatIsStale(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string
	}{
		"never built": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "dist", manifestName)); err != nil {
				t.Fatal(err)
			}
		}, "no manifest.json"},
		"other lock": {func(t *testing.T, dir string) {
			lock := filepath.Join(dir, "package-lock.json")
			put(t, lock, strings.Replace(get(t, lock), "0.13.5", "0.13.6", 1))
		}, "another package-lock.json"},
		"edited":       {func(t *testing.T, dir string) { put(t, filepath.Join(dir, "dist", "temml.js"), "") }, "temml.js was changed"},
		"bad manifest": {func(t *testing.T, dir string) { put(t, filepath.Join(dir, "dist", manifestName), "{") }, "manifest.json"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t)
			if _, err := build(dir); err != nil {
				t.Fatal(err)
			}
			tc.spoil(t, dir)
			err := checkCurrent(dir)
			var stale *staleError
			if !errors.As(err, &stale) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("checkCurrent = %v, want a staleError with %q", err, tc.want)
			}
		})
	}
}

func TestLineEndsOfTheLockFileDoNotMatter(t *testing.T) {
	dir := tree(t)
	if _, err := build(dir); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(dir, "package-lock.json")
	put(t, lock, strings.ReplaceAll(get(t, lock), "\n", "\r\n"))
	if err := checkCurrent(dir); err != nil {
		t.Error(err)
	}
}

func TestBuildSaysWhatIsMissing(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  []string
	}{
		"no modules": {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "node_modules")) },
			[]string{"node_modules is missing", "npm ci"}},
		"one package": {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "node_modules", "temml")) },
			[]string{"temml is not in", "npm ci"}},
		"other version": {func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "node_modules/zrender/package.json"), `{"version": "5.0.0"}`)
		}, []string{"zrender 5.0.0 is installed and 6.1.0 is locked", "npm ci"}},
		"no lock": {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "package-lock.json")) },
			[]string{"lock file cannot be read", "-dir"}},
		"bad code": {func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "node_modules/temml/temml.js"), "export default {")
		}, []string{"temml.js:", "but found end of file"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t)
			tc.spoil(t, dir)
			_, err := build(dir)
			for _, want := range tc.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("build = %v, want %q in it", err, want)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "dist", manifestName)); err == nil {
				t.Error("a build that failed left a manifest")
			}
		})
	}
}

func TestBuildRemovesWhatItNoLongerMakes(t *testing.T) {
	dir := tree(t)
	put(t, filepath.Join(dir, "dist", "old.js"), "old")
	put(t, filepath.Join(dir, "outside.js"), "not ours to remove")
	put(t, filepath.Join(dir, "dist", manifestName), `{"files": [{"name": "old.js"}, {"name": "../outside.js"}]}`)
	if _, err := build(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "dist", "old.js")); err == nil {
		t.Error("old.js is still in dist")
	}
	get(t, filepath.Join(dir, "outside.js"))
	get(t, filepath.Join(dir, "dist", "README.md"))
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
}
