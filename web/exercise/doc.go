// Package exercise is what pages show of the course's exercises: what each one
// asks, which are passed, and what came of the last check.
//
// A Desk looks at the learner's folder and makes a Book of it, which does not
// change. It looks again when somebody asks and the files are other ones than
// before:
//
//	exercises/
//	  progress.txt          what is passed
//	  guard/guard.cu        the learner's file; its time says whether a verdict is about it
//	  guard/.result.json    the last verdict
//
// A page runs no exercise and writes none of these files. What is in them may be
// anything: it is bounded, and shown as text.
package exercise
