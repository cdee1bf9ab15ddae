// Workbench is the course's one program: it serves the chapters, runs and
// compares the worked examples in a terminal, and runs the project's tests.
// ./course builds it and hands over to it.
//
// Every command ends with status 0 if it did what was asked, 1 if that failed
// or two results differ, and 2 if it was called wrongly. Results go to standard
// output; errors and progress to standard error.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"workbench/engine"
)

func main() {
	if status, ok := asWorker(os.Args[1:], os.Stderr); ok {
		os.Exit(status)
	}
	engine.SetWorker(workerCommand)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for an orderly end; a second one does not wait.
	context.AfterFunc(ctx, stop)
	status := Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	stop()
	os.Exit(status)
}
