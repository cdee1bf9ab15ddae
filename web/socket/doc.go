// Package socket is the live connection between a page and the workbench: one
// WebSocket per page, over which its widgets ask for runs, for the terms
// behind a cell and for comparisons. Message and Request document every kind
// of message.
//
// A connection has four stages, each tested by itself:
//
//	reader   reads and checks one message at a time
//	gate     admits a bounded number of requests; the rest is told "busy"
//	jobs     knows the running requests by id, and cancels them
//	outbox   holds a bounded number of answers for the one goroutine that writes;
//	         of progress and reload messages only the latest waits
//
// A page that does not read stops its own reader and nothing else: its outbox
// is full, so nothing more is taken from it until it reads or its write
// deadline passes.
package socket
