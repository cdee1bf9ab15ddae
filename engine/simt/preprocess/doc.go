// Package preprocess turns CUDA C into tokens: it reads characters, includes
// headers, chooses between the branches of #if, and expands macros.
//
// A token written in a file, or in the argument of a macro, has its own place. One
// that comes from a macro's definition has the place where the macro is used, and
// tells of the definition in Pos.Macro.
//
// Work is bounded: by Limits, and by nesting. A source that exceeds a bound is a
// *source.Error like any other.
package preprocess
