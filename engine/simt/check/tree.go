package check

import (
	"workbench/engine/simt/source"
	"workbench/engine/simt/types"
)

// An Expr is a checked expression: names are resolved, templates instantiated,
// and every conversion is there as an operation of its own.
//
// An expression is a value or, where Place says so, a place that holds one. What
// is done with a place is said: Load reads it, Assign writes it.
type Expr interface {
	Type() *types.Type
	Pos() source.Pos
	Place() bool
}

// Node is what every expression has.
type Node struct {
	T  *types.Type
	At source.Pos
	LV bool
	XV bool // a place that nobody needs any more: T&& is bound to it
}

// Type returns the type, which is never a reference.
func (n Node) Type() *types.Type { return n.T }

// Pos returns where the expression is written.
func (n Node) Pos() source.Pos { return n.At }

// Place reports whether the expression is a place.
func (n Node) Place() bool { return n.LV }

// ---- constants and places ------------------------------------------------------

type (
	// Const is a constant of a scalar type, or of any type that Value has parts of.
	Const struct {
		Node
		Value Value
	}
	// Text is a string: an array of characters with a zero at its end, and a place.
	Text struct {
		Node
		Data string
	}
	// VarRef is a variable, as a place. One whose type is a reference is what it
	// refers to.
	VarRef struct {
		Node
		Var *Var
	}
	// Field is a member of X, a place if X is.
	Field struct {
		Node
		X     Expr
		Index int // of the struct's fields
	}
	// Index is an element of the array X, a place if X is.
	Index struct {
		Node
		X, I Expr
	}
	// Deref is what the pointer X points to, a place.
	Deref struct {
		Node
		X Expr
	}
	// Temp is a place for the value X.
	Temp struct {
		Node
		X Expr
	}
)

// ---- values --------------------------------------------------------------------

type (
	// Load is the value in the place X.
	Load struct {
		Node
		X Expr
	}
	// AddrOf is a pointer to the place X.
	AddrOf struct {
		Node
		X Expr
	}
	// Decay is a pointer to the first element of the array in the place X.
	Decay struct {
		Node
		X Expr
	}
	// Convert is X as another type: a number, a truth value, a pointer.
	Convert struct {
		Node
		X Expr
	}
	// Unary is - or ~ of a promoted X, or ! of a truth value.
	Unary struct {
		Node
		Op string
		X  Expr
	}
	// Binary is + - * / % & | ^ << >> of two values of one type, but that the
	// amount of a shift has its own.
	Binary struct {
		Node
		Op   string
		X, Y Expr
	}
	// Compare is a truth value: == != < <= > >= of two values of one type.
	Compare struct {
		Node
		Op   string
		X, Y Expr
	}
	// Logical is && or || of truth values.
	Logical struct {
		Node
		Op   string
		X, Y Expr
	}
	// PtrAdd is the pointer X moved by I elements, or back.
	PtrAdd struct {
		Node
		X, I Expr
		Back bool
	}
	// PtrDiff is how many elements lie between the pointers.
	PtrDiff struct {
		Node
		X, Y Expr
	}
	// Cond is X or Y, as the truth value says; a place if both are.
	Cond struct {
		Node
		If, X, Y Expr
	}
	// Comma is Y, after X.
	Comma struct {
		Node
		X, Y Expr
	}
	// Assign writes the value Y to the place X, and is X.
	Assign struct {
		Node
		X, Y Expr
	}
	// OpAssign is X = X op Y, where X is looked at once. The operation is done in
	// Calc; a pointer is moved by Y elements.
	OpAssign struct {
		Node
		Op   string
		Calc *types.Type
		X, Y Expr
	}
	// Step is ++ or --: of Post, the value before, otherwise the place.
	Step struct {
		Node
		X    Expr
		Down bool
		Post bool
	}
	// Call calls Func. An argument for a parameter that is a reference is a place,
	// any other a value. What returns a reference is a place.
	Call struct {
		Node
		Func *Func
		This Expr // the place of the object that a method is called on
		Args []Expr
	}
	// Group is a struct, or an array, of the values of its parts; a nil part is
	// zero. What is a union has the one part that First says.
	Group struct {
		Node
		Parts []Expr
		First int
	}
	// Zero is the value of a type that is zero in all its parts.
	Zero struct{ Node }
	// Undef is a value that nothing was said of.
	Undef struct{ Node }
	// Made is a struct that a constructor makes.
	Made struct {
		Node
		Func *Func
		Args []Expr
	}
	// Printf prints.
	Printf struct {
		Node
		Format string
		Args   []Expr // promoted
	}
	// Assert ends the launch unless Cond holds.
	Assert struct {
		Node
		Cond Expr
		Text string
		In   string // the function
	}
	// Register is a register of the machine that assembly reads by its PTX name.
	Register struct {
		Node
		Name string
	}
)

// ---- statements ----------------------------------------------------------------

// Stmt is a checked statement.
type Stmt interface{ Pos() source.Pos }

// At is the place of a statement.
type At struct{ Where source.Pos }

// Pos returns the place.
func (a At) Pos() source.Pos { return a.Where }

type (
	// Block is a sequence of statements.
	Block struct {
		At
		List []Stmt
	}
	// Local declares a variable of a function. A variable of the type of a
	// reference has the place that it refers to as Init; otherwise that is a
	// value, or nil for a variable without one.
	Local struct {
		At
		Var  *Var
		Init Expr
	}
	// Eval computes X and forgets its value.
	Eval struct {
		At
		X Expr
	}
	// If is a choice; Else may be nil.
	If struct {
		At
		Cond       Expr
		Then, Else Stmt
	}
	// Loop repeats Body while Cond holds; nil always does. Init comes once before,
	// Post after each Body. Until says that Cond is looked at after Body only.
	Loop struct {
		At
		Init  Stmt
		Cond  Expr
		Post  Expr
		Body  Stmt
		Until bool
		// CondInit declares the variable of while (T x = …), each time.
		CondInit *Local

		Unroll int // copies that the source asks for: 0 says nothing, -1 all, 1 none
	}
	// Switch goes to the group whose value X has, or to the default, and on from
	// there to its end.
	Switch struct {
		At
		X      Expr
		Groups []Case
	}
	// Break leaves the innermost loop or switch.
	Break struct{ At }
	// Continue goes on with the innermost loop.
	Continue struct{ At }
	// Return leaves the function. X is a place if the function returns a reference.
	Return struct {
		At
		X Expr
	}
)

// Case is the statements after one or more labels of a switch.
type Case struct {
	Values  []uint64 // of X's type, extended to 64 bits
	Default bool
	List    []Stmt
}

// ---- variables and functions -----------------------------------------------------

// Storage is where a variable is.
type Storage uint8

const (
	Auto     Storage = iota // a function's own
	Param                   // a parameter
	Shared                  // __shared__
	Dynamic                 // extern __shared__
	Global                  // __device__, and static in a function
	Constant                // __constant__, and constants of the source
	Machine                 // threadIdx and its like: Intrinsic says which
)

// A Var is a variable or a parameter.
type Var struct {
	Name    string
	Type    *types.Type
	Pos     source.Pos
	Storage Storage
	Align   int64 // at least what its type asks for

	Init      *Value // of Global and Constant: what it starts as; nil is zero
	Intrinsic string

	value    *Value // it is a constant whose value is known
	plain    bool   // it is declared without __device__ or __constant__
	pending  func() // finds value
	function *Func
	order    int
}

// A Func is a function, after templates are instantiated.
type Func struct {
	Name       string // as messages call it: reduce<256>, Tile::load
	Symbol     string // of extern "C"
	Kernel     bool
	NoInline   bool
	BuiltIn    bool   // of a header of this program
	Intrinsic  string // what the machine does; it has no Body
	Params     []*Var
	This       *Var // the object of a method: a reference
	Result     *types.Type
	Variadic   bool
	Body       *Block
	Refused    *source.Error // what is not supported in the body, which is empty then
	MaxThreads int           // of __launch_bounds__
	Pos        source.Pos

	function *function
	state    bodyState
	constant bool // constexpr
	fallsOff bool // its end can be reached without a return
}

type bodyState uint8

const (
	unchecked bodyState = iota
	checking
	checked
)
