package source

import "fmt"

// A Pos is a place in a source. Two are equal if they are the same place by the
// same way. The zero Pos is no place.
type Pos struct {
	File   *File
	Offset int32 // in bytes

	// Macro is the expansion that put the text there; nil where it was written
	// there. File and Offset are then the place of the macro's use.
	Macro *Expansion
}

// An Expansion is the use of a macro.
type Expansion struct {
	Name  string
	Token Pos // in the macro's definition, or in the argument it was called with
}

// IsValid reports whether p is a place.
func (p Pos) IsValid() bool { return p.File != nil }

// Line returns the line, from 1; 0 for no place.
func (p Pos) Line() int { line, _ := p.Place(); return line }

// Column returns the column in characters, from 1; 0 for no place.
func (p Pos) Column() int { _, column := p.Place(); return column }

// Place returns line and column.
func (p Pos) Place() (line, column int) {
	if p.File == nil {
		return 0, 0
	}
	return p.File.Place(int(p.Offset))
}

// String writes file:line:column.
func (p Pos) String() string {
	if p.File == nil {
		return "?"
	}
	line, column := p.Place()
	return fmt.Sprintf("%s:%d:%d", p.File.Name, line, column)
}
