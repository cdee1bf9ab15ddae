package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"workbench/assets"
	"workbench/chapters"
	"workbench/engine"
	"workbench/web"
	"workbench/web/exercise"
)

// defaultAddr is where a workbench is, if nobody says otherwise.
const defaultAddr = "127.0.0.1:8080"

// serveFlags are the flags of every command that serves.
type serveFlags struct {
	addr, chapters string
	open           bool
	hosts          []string // names by which others reach it
	course         string   // the command that pages tell learners to use
}

func (p *program) serveCommand(name string) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the chapters to a browser",
		Long: "Serve the chapters to a browser, until Ctrl-C.\n\n" +
			"With --chapters the chapters of a folder of yours are served in place of the\n" +
			"course's: one folder for each, with a chapter.md. A page reloads when its file\n" +
			"is saved, and a mistake is shown where it is.\n\n" +
			"A browser is answered that asks for localhost or for an address in numbers. What\n" +
			"goes by another name, or through a proxy, needs --host.",
		Example: example(name, "serve", "serve --open", "serve --addr 127.0.0.1:9000", "serve --chapters my-chapters", "serve --host https://lab.example.org"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.given(cmd); err != nil {
				return err
			}
			f.course = name
			return p.serve(cmd.Context(), cmd.CommandPath(), f)
		},
	}
	f.declare(cmd.Flags(), "open the contents page in a browser")
	f.hostFlag(cmd.Flags())
	return cmd
}

// declare declares the flags of every command that serves.
func (f *serveFlags) declare(flags *pflag.FlagSet, open string) {
	flags.StringVar(&f.addr, "addr", defaultAddr, "address and port to listen on")
	flags.BoolVar(&f.open, "open", false, open)
	flags.StringVar(&f.chapters, "chapters", "", "a folder of chapters of your own")
	libraryFlag(flags)
}

// given refuses a flag that was given nothing.
func (f *serveFlags) given(cmd *cobra.Command) error {
	if f.chapters == "" && cmd.Flags().Changed("chapters") {
		return usagef("--chapters \"\": name the folder that holds the chapters' folders, or leave the flag out for the course's own")
	}
	return nil
}

// serve serves until ctx is done. Name is the command's, for what it says
// while it runs.
func (p *program) serve(ctx context.Context, name string, f serveFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	aliases, err := f.aliases()
	if err != nil {
		return err
	}
	listener, err := listen(ctx, "--addr", f.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	host, _, _ := net.SplitHostPort(f.addr)
	url := addressOf(listener, host)
	o := p.options(name, f)
	o.Lessons, _ = p.roomsDir("") // without it pages list none
	others := urls(aliases, listener)
	o.Hosts, o.Origins = append(names(aliases), host), others
	if reachable(listener) {
		o.Hosts = append(o.Hosts, hostNames(host)...)
	}
	server, err := web.New(o)
	if err != nil {
		return err
	}
	if reachable(listener) {
		fmt.Fprintf(p.stderr, "Warning: other machines can reach %s, and everyone who can may run the examples on this one. Leave --addr out to keep the course to yourself.\n", f.addr)
	} else if len(others) > 0 {
		fmt.Fprintf(p.stderr, "Warning: everyone who can reach %s may run the examples on this machine. Leave --host out to keep the course to yourself.\n", list(others, "or"))
	}
	fmt.Fprintf(p.stdout, "The course is at %s (Ctrl-C stops it)\n", list(append([]string{url}, others...), "and"))
	if f.open {
		p.browse(name, url)
	}
	return p.answer(ctx, name, server, listener, nil)
}

// check looks at the folder of chapters, if one is given.
func (f serveFlags) check() error {
	if f.chapters == "" {
		return nil
	}
	if info, err := os.Stat(f.chapters); err != nil {
		return usagef("--chapters: %w", err)
	} else if !info.IsDir() {
		return usagef("--chapters: %s is not a folder: give the one that holds the chapters' folders", f.chapters)
	}
	return nil
}

// options are those of a server of the chapters, for whatever command.
func (p *program) options(name string, f serveFlags) web.Options {
	return web.Options{
		Chapters: chapters.FS, AuthorDir: f.chapters, Exercises: p.exercises(f), Desk: exercise.Options{Command: f.course},
		Notice: func(sentence string) { fmt.Fprintf(p.stderr, "%s: %s\n", name, sentence) },
		Assets: assets.FS, HasBundle: assets.HasBundle(),
		Open: p.open, List: engine.List, Emulator: engine.Emulator, Host: engine.Host(),
		Build:  commit,
		Logger: slog.New(slog.NewTextHandler(p.stderr, nil)),
	}
}

// browse opens a page in a browser, or says that nobody could.
func (p *program) browse(name, url string) {
	if err := browse(url); err != nil {
		fmt.Fprintf(p.stderr, "%s: --open: no browser could be started (%v): open %s yourself\n", name, err, url)
	}
}

// answer answers requests until ctx is done, calls over if it is not nil, and closes the server.
func (p *program) answer(ctx context.Context, name string, server *web.Server, listener net.Listener, over func()) error {
	stopped := p.saysStopping(ctx, name)
	err := server.Serve(ctx, listener)
	stopped()
	if over != nil {
		over()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // what did not end in time was cut off
	}
	return errors.Join(err, server.Close())
}

// exercises returns the course's exercises for its pages. Chapters of somebody's
// own have none, and neither has a program far from the course's folder.
func (p *program) exercises(f serveFlags) exercise.Source {
	if f.chapters != "" {
		return nil
	}
	course, err := p.course("")
	if err != nil {
		return nil
	}
	return course
}

// stopPatience is how long a stop may take before it is explained.
const stopPatience = time.Second

// saysStopping explains a stop that takes a while: open requests may end first.
// The function that it returns must be called when the stop is over.
func (p *program) saysStopping(ctx context.Context, name string) (stopped func()) {
	over := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		select {
		case <-over:
		case <-time.After(stopPatience):
			fmt.Fprintf(p.stderr, "%s: stopping: open requests have some seconds to end; Ctrl-C again does not wait for them\n", name)
		}
	})
	return func() {
		close(over)
		waiting.Wait()
	}
}
