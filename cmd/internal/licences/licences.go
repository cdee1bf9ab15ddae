// Package licences lists the licence of everything by others that the
// workbench is made of, tested with or built with, in assets/licences.md.
//
// What others wrote comes from two places: Go modules, as the go command
// resolves them, and the packages that assets/package-lock.json pins for the
// browser. The licence itself is read from the files that come with them; one
// that is not recognised is an error, never a guess. The list is made by
//
//	go test ./cmd/internal/licences -update
//
// and the same test holds it current.
package licences

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Use is what a component is for. A component that is part of what is handed
// out has its licence printed in full; the rest only helps to make that.
type Use string

const (
	Program Use = "program" // linked into the workbench
	Browser Use = "browser" // in the browser bundle
	Tests   Use = "tests"
	Tools   Use = "tools" // checks the source, or makes the bundle
)

// handedOut reports whether the component is part of what a person receives.
func (u Use) handedOut() bool { return u == Program || u == Browser }

// Component is one work by others.
type Component struct {
	Name    string
	Version string
	Licence string // SPDX expression
	Use     Use    // the most far-reaching one
	Text    string // of its licence and notice files; "" if they are not at hand
}

const preface = `# Licences of what others wrote

The workbench is under the MIT licence, see LICENSE. It contains, or is tested
and built with, the following works by others, under their own licences. This
list is generated: do not edit it, run ` + "`go test ./cmd/internal/licences -update`" + `.

`

// Document writes the list: a table of all components, then the licences of
// those that are handed out, in full.
func Document(components []Component) string {
	components = slices.Clone(components)
	order := []Use{Program, Browser, Tests, Tools}
	slices.SortFunc(components, func(a, b Component) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.Use), slices.Index(order, b.Use)),
			cmp.Compare(a.Name, b.Name),
		)
	})
	var out strings.Builder
	out.WriteString(preface)
	out.WriteString("| work | version | licence | part of |\n|---|---|---|---|\n")
	for _, c := range components {
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", c.Name, c.Version, c.Licence, c.Use)
	}
	for _, c := range components {
		if c.Use.handedOut() {
			fmt.Fprintf(&out, "\n%s\n%s\n~~~\n", heading(c.Name), strings.TrimSpace(c.Text))
		}
	}
	return out.String()
}

// heading starts the section with a component's licence. Tildes fence it, since
// licences quote with backticks and never with these.
func heading(name string) string { return "## " + name + "\n\n~~~text" }

// Section returns the licence text of a component in a document, so that one
// whose files are not at hand keeps the text it had.
func Section(document, name string) (string, bool) {
	_, rest, ok := strings.Cut(document, heading(name)+"\n")
	if !ok {
		return "", false
	}
	text, _, ok := strings.Cut(rest, "\n~~~\n")
	return text, ok
}
