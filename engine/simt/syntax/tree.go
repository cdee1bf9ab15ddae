package syntax

import "workbench/engine/simt/source"

// A Node is a part of the tree. Pos is where a message about it points: for an
// operation its operator, for a call its parenthesis' function, for a
// declaration its name.
type Node interface{ Pos() source.Pos }

// At is the place of a node.
type At struct{ Place source.Pos }

// Pos returns the place.
func (a At) Pos() source.Pos { return a.Place }

// ---- names -------------------------------------------------------------------

// A Name is an identifier with what qualifies it: std::min, Tile<4>::width, ::f.
type Name struct {
	At
	Global   bool // it begins with ::
	Typename bool // it is said to be a type
	Parts    []Part
}

// A Part is one identifier of a name. That of an operator is "operator+", of a
// destructor "~Tile", of a conversion "operator T" with the type in Convert.
type Part struct {
	At
	Ident   string
	HasArgs bool // <…> follows
	Args    []Arg
	Convert Type // of a conversion operator
}

// Last is the part that is being named.
func (n *Name) Last() *Part { return &n.Parts[len(n.Parts)-1] }

// Simple reports whether n is one identifier and nothing else.
func (n *Name) Simple() bool { return !n.Global && len(n.Parts) == 1 && !n.Parts[0].HasArgs }

// String writes the identifiers of n.
func (n *Name) String() string {
	s := ""
	if n.Global {
		s = "::"
	}
	for i, p := range n.Parts {
		if i > 0 {
			s += "::"
		}
		s += p.Ident
		if p.HasArgs {
			s += "<…>"
		}
	}
	return s
}

// An Arg is an argument of a template: a type or an expression, of which one is
// nil. A name alone may be either, and is an expression here.
type Arg struct {
	Type Type
	Expr Expr
}

// ---- types ---------------------------------------------------------------------

// Type is a type as it is written.
type Type interface{ Node }

type (
	// Basic is void, bool, int and the other words of the language, in one form:
	// "unsigned long".
	Basic struct {
		At
		Name string
	}
	// Named is a type with a name.
	Named struct{ Name *Name }
	// Qualified is const or volatile.
	Qualified struct {
		Elem            Type
		Const, Volatile bool
	}
	// Pointer is Elem*.
	Pointer struct {
		At
		Elem Type
	}
	// Reference is Elem& or Elem&&.
	Reference struct {
		At
		Elem   Type
		RValue bool
	}
	// Array is Elem[Len]; Len is nil for [].
	Array struct {
		At
		Elem Type
		Len  Expr
	}
	// Function is a function's type, which only pointers point to.
	Function struct {
		At
		Result Type
		Params []*Param
	}
	// Auto is the type of the initial value.
	Auto struct{ At }
	// Decltype is the type of an expression.
	Decltype struct {
		At
		X Expr
	}
	// PackType is Elem... .
	PackType struct {
		At
		Elem Type
	}
	// Defined is a struct or enum that is defined where it is used.
	Defined struct {
		At
		Decl Decl // *Struct or *Enum
	}
)

func (t *Named) Pos() source.Pos     { return t.Name.Pos() }
func (t *Qualified) Pos() source.Pos { return t.Elem.Pos() }

// ---- expressions -----------------------------------------------------------------

// Expr is an expression.
type Expr interface{ Node }

type (
	// Ident is a name used as a value or a function.
	Ident struct{ Name *Name }
	// Int is an integer, with the letters after it in lower case.
	Int struct {
		At
		Value   uint64
		Decimal bool
		Suffix  string
	}
	// Float is a floating-point number, as it is written without its suffix.
	Float struct {
		At
		Text   string
		Suffix string
	}
	// Char is a character.
	Char struct {
		At
		Value byte
	}
	// String is a string, without the zero at its end.
	String struct {
		At
		Value string
	}
	// Bool is true or false.
	Bool struct {
		At
		Value bool
	}
	// Nullptr is nullptr.
	Nullptr struct{ At }
	// This is this.
	This struct{ At }
	// Paren is an expression in parentheses.
	Paren struct {
		At
		X Expr
	}
	// Unary is Op X: + - ! ~ * & ++ --.
	Unary struct {
		At
		Op string
		X  Expr
	}
	// Postfix is X++ or X--.
	Postfix struct {
		At
		Op string
		X  Expr
	}
	// Binary is X Op Y, the comma too.
	Binary struct {
		At
		Op   string
		X, Y Expr
	}
	// Assign is X = Y or X Op= Y; Op is "" or the operator before the =.
	Assign struct {
		At
		Op   string
		X, Y Expr
	}
	// Conditional is Cond ? X : Y.
	Conditional struct {
		At
		Cond, X, Y Expr
	}
	// Call is Fun(Args).
	Call struct {
		At
		Fun  Expr
		Args []Expr
	}
	// Index is X[I].
	Index struct {
		At
		X, I Expr
	}
	// Member is X.Name or X->Name.
	Member struct {
		At
		X     Expr
		Arrow bool
		Name  *Name
	}
	// Cast is (Type)X, static_cast<Type>(X) and their like; Kind is "" or the word.
	Cast struct {
		At
		Kind string
		Type Type
		X    Expr
	}
	// Construct is Type(Args) or Type{Args}.
	Construct struct {
		At
		Type  Type
		Args  []Expr
		Brace bool
	}
	// List is {Elems}. Names has the member of each element that is written
	// .name = value; it is nil where none is.
	List struct {
		At
		Elems []Expr
		Names []string
	}
	// Sizeof is sizeof or alignof, of a type or of an expression.
	Sizeof struct {
		At
		Align bool
		Type  Type
		X     Expr
	}
	// Lambda is [Captures](Params) { Body }.
	Lambda struct {
		At
		Default  byte // '=', '&' or 0
		Captures []Capture
		Params   []*Param
		Result   Type // nil if not written
		Mutable  bool
		Body     *Block
	}
	// Pack is X... among the arguments of a call or a template.
	Pack struct {
		At
		X Expr
	}
	// Fold is (X op ... op Y), with nil where the dots are.
	Fold struct {
		At
		Op   string
		X, Y Expr // one is nil in a fold without initial value
		Left bool // the dots are on the left
	}
)

// A Capture is a variable that a lambda takes with it.
type Capture struct {
	At
	Name string // "this" for this
	Ref  bool
	Init Expr // of [name = value]
}

func (x *Ident) Pos() source.Pos { return x.Name.Pos() }

// ---- statements ------------------------------------------------------------------

// Stmt is a statement.
type Stmt interface{ Node }

type (
	// Block is { List }.
	Block struct {
		At
		List []Stmt
	}
	// DeclStmt is a declaration in a block.
	DeclStmt struct {
		At
		Decls []Decl
	}
	// ExprStmt is X;
	ExprStmt struct{ X Expr }
	// Empty is ;
	Empty struct{ At }
	// If is if (Init; Cond) Then else Else. Decl is set instead of Cond in
	// if (int x = …).
	If struct {
		At
		Constexpr bool
		Init      Stmt
		Decl      *Var
		Cond      Expr
		Then      Stmt
		Else      Stmt
	}
	// For is for (Init; Cond; Post) Body.
	For struct {
		At
		Init   Stmt
		Cond   Expr
		Post   Expr
		Body   Stmt
		Unroll *Unroll
	}
	// Range is for (Var : X) Body.
	Range struct {
		At
		Var    *Var
		X      Expr
		Body   Stmt
		Unroll *Unroll
	}
	// While is while (Cond) Body.
	While struct {
		At
		Decl   *Var
		Cond   Expr
		Body   Stmt
		Unroll *Unroll
	}
	// Do is do Body while (Cond);
	Do struct {
		At
		Body   Stmt
		Cond   Expr
		Unroll *Unroll
	}
	// Switch is switch (Init; X) Body.
	Switch struct {
		At
		Init Stmt
		Decl *Var
		X    Expr
		Body Stmt
	}
	// Case is case X: Body, or default: Body where X is nil.
	Case struct {
		At
		X    Expr
		Body Stmt
	}
	// Break is break;
	Break struct{ At }
	// Continue is continue;
	Continue struct{ At }
	// Return is return X; X may be nil.
	Return struct {
		At
		X Expr
	}
	// Asm is inline assembly.
	Asm struct {
		At
		Text    string
		Outputs []AsmOperand
		Inputs  []AsmOperand
	}
)

// AsmOperand is "constraint"(X).
type AsmOperand struct {
	Constraint string
	X          Expr
}

// Unroll is #pragma unroll; N is nil where no number is given.
type Unroll struct {
	At
	N   Expr
	Not bool // #pragma nounroll
}

func (s *ExprStmt) Pos() source.Pos { return s.X.Pos() }

// ---- declarations ----------------------------------------------------------------

// Decl is a declaration.
type Decl interface{ Node }

// Specs are the words in front of a declaration that are no type.
type Specs struct {
	Global, Device, Host, Shared, Constant, Managed bool
	Static, Extern, C, Inline, Constexpr, Typedef   bool
	Virtual, Explicit, Friend, Mutable, NoInline    bool
	Bounds                                          []Expr // of __launch_bounds__
	Align                                           []Expr // of __align__ and alignas
	AlignTypes                                      []Type // of alignas(type)
	Intrinsic                                       string // of __intrinsic, in headers of this program
}

type (
	// Var is a variable, a member of a struct, or a static member.
	Var struct {
		At
		Specs
		Name  *Name
		Type  Type
		Init  Expr   // after =, or a List
		Args  []Expr // in parentheses
		Paren bool   // Args are given
		Bits  Expr   // of a bit-field
		Order int    // words of the source that come before it
	}
	// Param is a parameter of a function.
	Param struct {
		At
		Name    string // "" if none is given
		Type    Type
		Default Expr
		Pack    bool // Type... name
	}
	// Func is a function, a method, a constructor or an operator.
	Func struct {
		At
		Specs
		Name        *Name
		Result      Type // nil for constructors, destructors and conversions
		Params      []*Param
		Variadic    bool // … at the end
		Const       bool // a method that does not change its object
		Constructor bool
		Destructor  bool
		Deleted     bool
		Default     bool // = default
		Inits       []MemberInit
		Body        *Block        // nil for a declaration
		Refused     *source.Error // what is not supported in the body, which is empty then
		Order       int           // words of the source that come before it
		End         int           // and before its end

		intrinsic string // what it is until its Specs are known
	}
	// Struct is a struct, class or union; Members is nil if it is only declared.
	Struct struct {
		At
		Specs
		Keyword string // "struct", "class" or "union"
		Name    *Name  // nil if it has none; with arguments in a specialisation
		Bases   []Base
		Members []Decl
		Defined bool
	}
	// Enum is an enum; Class says enum class.
	Enum struct {
		At
		Name    *Name
		Class   bool
		Base    Type
		Values  []Enumerator
		Defined bool
	}
	// Alias is typedef Type Name; or using Name = Type;
	Alias struct {
		At
		Name string
		Type Type
	}
	// Using is using a::b;
	Using struct{ Name *Name }
	// UsingNamespace is using namespace a;
	UsingNamespace struct{ Name *Name }
	// Namespace is namespace Name { Decls }.
	Namespace struct {
		At
		Name   string
		Inline bool
		Decls  []Decl
	}
	// NamespaceAlias is namespace Name = Of;
	NamespaceAlias struct {
		At
		Name string
		Of   *Name
	}
	// StaticAssert is static_assert(Cond, Message);
	StaticAssert struct {
		At
		Cond    Expr
		Message string
	}
	// Template is template <Params> Decl. Without parameters it specialises.
	Template struct {
		At
		Params []*TemplateParam
		Decl   Decl
		Order  int
	}
	// Instantiate is template Decl; which asks for an instance.
	Instantiate struct {
		At
		Decl Decl
	}
	// HostCode is a function or variable of the host, which was passed over.
	HostCode struct {
		At
		Name   string
		Err    *source.Error // why it could not be read; nil if nobody tried
		Device bool          // it has words of CUDA
	}
	// Trial is a declaration of a source, whose types may be the host's.
	Trial struct {
		At
		Decl   Decl
		Device bool // it has a word of CUDA's that says it is for the device
	}
)

// A Base is a struct that another begins with.
type Base struct {
	At
	Type Type
}

// A MemberInit is Name(Args) or Name{Args} before a constructor's body.
type MemberInit struct {
	At
	Name  *Name
	Args  []Expr
	Brace bool
}

// An Enumerator is a value of an enum.
type Enumerator struct {
	At
	Name  string
	Value Expr // nil if it is one more than the value before
}

// A TemplateParam is a parameter of a template: a type, or a value of type Type.
type TemplateParam struct {
	At
	Name        string
	Type        Type // nil for a type parameter
	DefaultType Type
	Default     Expr
	Pack        bool
}

func (d *Using) Pos() source.Pos          { return d.Name.Pos() }
func (d *UsingNamespace) Pos() source.Pos { return d.Name.Pos() }
