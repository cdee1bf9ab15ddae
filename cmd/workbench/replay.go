package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"

	"workbench/web"
	"workbench/web/live"
)

func (p *program) replayCommand(name string) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Show a lesson again that was saved",
		Long: "Serve the chapters to a browser, and in them a lesson that was saved from the\n" +
			"presenter's desk: what was shown, step by step, with the values that the class\n" +
			"saw. Nothing is run for it.\n\n" +
			"A workbench that serves takes such a file too, on its page /replays.",
		Example: example(name, "replay lesson-2026-11-30-1000.jsonl.gz --open"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("write the lesson's file, as in %s replay lesson-2026-11-30-1000.jsonl.gz", name)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.given(cmd); err != nil {
				return err
			}
			f.course = name
			return p.replay(cmd.Context(), cmd.CommandPath(), f, args[0])
		},
	}
	flags := cmd.Flags()
	f.declare(flags, "open the replay in a browser")
	// Beside a workbench that serves already.
	addr := flags.Lookup("addr")
	f.addr, addr.DefValue, addr.Usage = anyPort, anyPort, "address and port to listen on; port 0 is any that is free"
	return cmd
}

// anyPort is an address of this machine with a port that is free.
const anyPort = "127.0.0.1:0"

// replay serves a lesson until ctx is done.
func (p *program) replay(ctx context.Context, name string, f serveFlags, file string) error {
	if err := f.check(); err != nil {
		return err
	}
	lesson, err := openLesson(file)
	if err != nil {
		return err
	}
	listener, err := listen(ctx, "--addr", f.addr)
	if err != nil {
		return errors.Join(err, lesson.Close())
	}
	defer listener.Close()
	host, _, _ := net.SplitHostPort(f.addr)
	o := p.options(name, f)
	o.Hosts = []string{host}
	server, err := web.New(o)
	if err != nil {
		return errors.Join(err, lesson.Close())
	}
	if lesson.Torn != nil {
		fmt.Fprintf(p.stderr, "%s: %s: %v\n", name, file, lesson.Torn)
	}
	path, err := server.AddReplay(lesson)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", file, err), server.Close())
	}
	url := addressOf(listener, host) + path
	fmt.Fprintf(p.stdout, "The lesson of %s is at %s (Ctrl-C stops it)\n", lesson.Began.Local().Format("2 January 2006, 15:04"), url)
	if f.open {
		p.browse(name, url)
	}
	return p.answer(ctx, name, server, listener, nil)
}

// openLesson reads a lesson from its file.
func openLesson(name string) (*live.Lesson, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lesson, err := live.ReadLessonFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return lesson, nil
}
