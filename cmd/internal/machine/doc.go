// Package machine finds out what this machine can do for the course: which
// devices are there, and which of the programs that building and testing need.
//
// A Finding says what was found or, if it is missing, what the course does
// without it and how to get it. Nothing is installed or changed here.
package machine
