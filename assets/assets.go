// Package assets embeds what a browser loads: the style sheets, the JavaScript
// modules and the icons of the workbench, the bundles of third-party code that
// assets/bundle makes, and what was measured on real GPUs.
//
//	css/           style sheets, a file a subject: pages link main.css, a desk also desk.css, which the server
//	               writes the others into
//	js/            ES modules as they are written, which the server rolls into one script
//	icons/         the favicon and the icons of the controls
//	dist/          echarts.js, temml.js and what belongs to them, or only a README
//	measurements/  what gpu-check found, a file a GPU, and a README
//
// The bundles are optional. Without them a page shows formulas as TeX and
// contributions as a table, and everything else is the same.
package assets

import (
	"embed"
	"io/fs"
)

// FS holds these folders, at the paths under which /assets/ serves them:
// "js/main.js", "css/main.css", "dist/echarts.js".
//
//go:embed css js icons measurements all:dist
var FS embed.FS

// HasBundle reports whether the third-party bundles were built in before this
// program was compiled: both or none, since a page asks for neither by itself.
func HasBundle() bool { return hasBundle(FS) }

func hasBundle(files fs.FS) bool {
	for _, name := range []string{"dist/echarts.js", "dist/temml.js"} {
		if info, err := fs.Stat(files, name); err != nil || info.Size() == 0 {
			return false
		}
	}
	return true
}
