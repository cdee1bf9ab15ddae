package assets

import (
	"io/fs"
	"testing"
	"testing/fstest"
)

func TestBundleIsBothOrNone(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("export {}")}
	for name, tc := range map[string]struct {
		files fstest.MapFS
		want  bool
	}{
		"both":    {fstest.MapFS{"dist/echarts.js": file, "dist/temml.js": file}, true},
		"neither": {fstest.MapFS{"dist/README.md": file}, false},
		"one":     {fstest.MapFS{"dist/echarts.js": file}, false},
		"empty":   {fstest.MapFS{"dist/echarts.js": file, "dist/temml.js": {}}, false},
	} {
		if got := hasBundle(tc.files); got != tc.want {
			t.Errorf("%s: hasBundle = %v, want %v", name, got, tc.want)
		}
	}
}

func TestEmbeddedFiles(t *testing.T) {
	for _, name := range []string{"js/main.js", "css/main.css", "icons/favicon.svg", "dist/README.md"} {
		if _, err := fs.Stat(FS, name); err != nil {
			t.Errorf("a page needs %s: %v", name, err)
		}
	}
}
