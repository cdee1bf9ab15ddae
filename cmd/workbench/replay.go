package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"

	"workbench/cmd/internal/terminal"
	"workbench/web"
	"workbench/web/live"
)

// replayFlags are the flags of `workbench replay`.
type replayFlags struct {
	serveFlags
	rooms string
}

func (p *program) replayCommand(name string) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay [FILE|CODE]",
		Short: "Show a lesson again that was saved",
		Long: "Serve the chapters to a browser, and in them a lesson that was given: what was\n" +
			"shown, step by step, with the values that the class saw. Nothing is run for it.\n\n" +
			"It is a file that was saved from the presenter's desk, or the code of a room that\n" +
			"was opened on this machine, where lessons are kept for 30 days. Without either,\n" +
			"those are listed, here and on a page that opens them.\n\n" +
			"A workbench that serves has that page too: /replays.",
		Example: example(name, "replay", "replay K7QM2X --open", "replay lesson-2026-11-30-1000.jsonl.gz --open"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("write one lesson's file, as in %s replay lesson-2026-11-30-1000.jsonl.gz, or the code of its room", name)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.given(cmd); err != nil {
				return err
			}
			f.course = name
			which := ""
			if len(args) > 0 {
				which = args[0]
			}
			return p.replay(cmd.Context(), cmd.CommandPath(), f, which)
		},
	}
	flags := cmd.Flags()
	f.declare(flags, "open the replay in a browser")
	flags.StringVar(&f.rooms, "rooms", "", roomsUsage)
	// Beside a workbench that serves already.
	addr := flags.Lookup("addr")
	f.addr, addr.DefValue, addr.Usage = anyPort, anyPort, "address and port to listen on; port 0 is any that is free"
	return cmd
}

// anyPort is an address of this machine with a port that is free.
const anyPort = "127.0.0.1:0"

// replay serves a lesson, or the list of those that are kept, until ctx is done.
func (p *program) replay(ctx context.Context, name string, f replayFlags, which string) error {
	if err := f.check(); err != nil {
		return err
	}
	dir, err := p.roomsDir(f.rooms)
	if err != nil && which == "" {
		return err
	}
	kept, err := live.List(dir)
	if err != nil && which == "" {
		return fmt.Errorf("the lessons that are kept cannot be listed: %w", err)
	}
	var lesson *live.Lesson
	if which != "" {
		file := lessonFile(which, kept)
		if lesson, err = live.OpenLesson(file); err != nil {
			return err
		}
		which = file
	} else if len(kept) == 0 {
		return usagef("no lesson is kept in %s: give a file, as in %s lesson-2026-11-30-1000.jsonl.gz; `%s present` gives a lesson", dir, name, f.course)
	}
	listener, err := listen(ctx, "--addr", f.addr)
	if err != nil {
		return errors.Join(err, closeLesson(lesson))
	}
	defer listener.Close()
	host, _, _ := net.SplitHostPort(f.addr)
	o := p.options(name, f.serveFlags)
	o.Hosts, o.Lessons = []string{host}, dir
	server, err := web.New(o)
	if err != nil {
		return errors.Join(err, closeLesson(lesson))
	}
	url := addressOf(listener, host)
	if lesson == nil {
		url += "/replays"
		look := terminal.Of(p.stdout, p.getenv)
		var list []terminal.Lesson
		for _, k := range kept {
			list = append(list, terminal.Lesson{Code: k.Code, Began: k.Began.Local(), Length: live.Spell(k.Length), Chapters: k.Chapters, Ended: k.Ended})
		}
		_ = look.Print(p.stdout, look.Lessons(list))
		fmt.Fprintf(p.stdout, "They are opened at %s (Ctrl-C stops it), or by `%s CODE`\n", url, name)
	} else {
		if lesson.Torn != nil {
			fmt.Fprintf(p.stderr, "%s: %s: %v\n", name, which, lesson.Torn)
		}
		path, err := server.AddReplay(lesson)
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", which, err), server.Close())
		}
		url += path
		fmt.Fprintf(p.stdout, "The lesson of %s is at %s (Ctrl-C stops it)\n", lesson.Began.Local().Format("2 January 2006, 15:04"), url)
	}
	if f.open {
		p.browse(name, url)
	}
	return p.answer(ctx, name, server, listener, nil)
}

// lessonFile returns the file of a lesson, which is given by that or by its room's code.
func lessonFile(which string, kept []live.KeptLesson) string {
	if _, err := os.Stat(which); err == nil {
		return which
	}
	for _, k := range kept {
		if k.Code == live.ParseCode(which) {
			return k.File
		}
	}
	return which
}

func closeLesson(l *live.Lesson) error {
	if l == nil {
		return nil
	}
	return l.Close()
}
