package code

import "workbench/engine/simt/types"

// Names is what a program says of its source for who shows it while it runs:
// the variables of each function, as their author knows them, and which of them
// are in scope at each statement. What they hold, the instructions Note say; when
// a function is called and has returned, Enter and Leave.
type Names struct {
	Frames []Frame
	Scopes []InScope // a Stmt names one; Scopes[0] has no variable
}

// Frame is a function of the source, whether its code stands in its place or is
// called.
type Frame struct {
	Name string
	Pos  Pos
	Vars []Var
}

// Var is a variable or parameter of a function. A reference is a variable of the
// type that it refers to.
type Var struct {
	Name   string
	Type   *types.Type
	Leaves []Leaf // what it is made of if it is registers, in the order of Note.Leaf; none if it is in memory alone
	Memory bool   // it may be in memory
	Pos    Pos
}

// Leaf is a number or pointer in a value: the value itself if it is one.
type Leaf struct {
	Type   *types.Type
	Offset int64 // bytes from the beginning of the value
}

// InScope is a variable that is in scope, with all those of Parent. The last one of
// a name hides the others.
type InScope struct {
	Parent int
	Var    int // of the Frame that the Stmt belongs to
}

// Note says what a variable of the source holds from here on, for the lanes that
// come here. It computes nothing.
type Note struct {
	At
	Up     int  // how many frames above the current one its variable's is
	Var    int  // of the frame's
	Leaf   int  // of the variable's
	Unset  bool // it was declared, and holds nothing yet
	Memory bool // it is in memory, at X
	Type   types.Scalar
	X      Value
}

// Enter says that a function of the source begins, Names.Frames[Frame], called
// from here. What the code of a call stands between is Enter and Leave.
type Enter struct {
	At
	Frame int
}

// Leave says that the function that was entered last has returned.
type Leave struct {
	At
}
