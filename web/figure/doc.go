// Package figure draws runs as HTML that needs no script: matrices as tables
// with labelled rows and columns, steps as an ordered list, a comparison as a
// table of groups and of values. It is what a page shows before its script
// runs, and all it shows where none does.
//
// Every number is one that the trace or the report holds. Nothing is computed
// here, not even a difference: numbers are only spelt.
package figure
