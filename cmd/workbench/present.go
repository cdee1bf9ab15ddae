package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"workbench/cmd/internal/machine"
	"workbench/cmd/internal/terminal"
	"workbench/web"
	"workbench/web/live"
)

// presentFlags are the flags of `workbench present`.
type presentFlags struct {
	serveFlags
	chapter string
	listen  string // "" for this machine alone, everywhere for every address
	another bool
	all     bool
	rooms   string
}

// roomsUsage is what --rooms means.
const roomsUsage = "the folder that keeps the rooms; left out, .course/rooms in the course's folder"

// everywhere is what --listen means without a value.
const everywhere = "0.0.0.0"

func (p *program) presentCommand(name string) *cobra.Command {
	var f presentFlags
	cmd := &cobra.Command{
		Use:   "present",
		Short: "Open a room in which a class follows what you do",
		Long: "Open a room: you step through chapters, and a class follows in its browsers. What\n" +
			"you open, edit, run and point at shows on every page; who follows runs nothing.\n\n" +
			"The link that is printed makes one browser the presenter's, once. The class joins\n" +
			"by an address with a code of 6 characters, or by the QR code beside it.\n\n" +
			"Only this machine reaches the room until you say --listen. Other machines then see\n" +
			"the rooms' pages and nothing else, unless you say --all. Nothing is encrypted on\n" +
			"its way, so use a network that you trust.\n\n" +
			"Where the class comes by a name of this machine or through a proxy, say --host: the\n" +
			"class is shown that address. Behind a proxy on this machine leave --listen out.\n\n" +
			"Ctrl-C lets a room rest: started again within 12 hours, present goes on with it,\n" +
			"and every page comes back by itself. A lesson that you end on the desk is over.",
		Example: example(name, "present", "present --chapter 7 --open", "present --listen", "present --listen=192.168.1.20 --addr 127.0.0.1:9000", "present --listen --host lab-pc.local", "present --host https://lab.example.org", "present --new"),
		Args: func(cmd *cobra.Command, args []string) error {
			// The flag's value is optional, so that one behind a space is no flag's.
			if len(args) == 1 && f.listen == everywhere && net.ParseIP(args[0]) != nil {
				return usagef("--listen %s: write --listen=%[1]s, without a space", args[0])
			}
			return noArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.given(cmd); err != nil {
				return err
			}
			if f.listen == "" && cmd.Flags().Changed("listen") {
				return usagef("--listen \"\": write an address of this machine, as in --listen=192.168.1.20, or nothing for all of them")
			}
			f.course = name
			return p.present(cmd.Context(), cmd.CommandPath(), f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.chapter, "chapter", "", "where the lesson begins: a chapter's number, or its name in addresses (default the first)")
	flags.StringVar(&f.listen, "listen", "", "let other machines in: at every address of this one, or at the one you give")
	flags.Lookup("listen").NoOptDefVal = everywhere
	f.hostFlag(flags)
	f.declare(flags, "open the presenter's page in a browser")
	flags.BoolVar(&f.another, "new", false, "open a new room beside those that go on")
	flags.BoolVar(&f.all, "all", false, "show other machines all pages, and let them run the examples")
	flags.StringVar(&f.rooms, "rooms", "", roomsUsage)
	return cmd
}

// again is how the command is written that goes on with the rooms.
func (f presentFlags) again(l net.Listener) string {
	words := f.course + " present"
	switch f.listen {
	case "":
	case everywhere:
		words += " --listen"
	default:
		words += " --listen=" + f.listen
	}
	for _, given := range f.hosts {
		words += " --host " + given
	}
	host, _, _ := net.SplitHostPort(f.addr)
	_, port, _ := net.SplitHostPort(l.Addr().String()) // 0 was given for any
	if at := net.JoinHostPort(host, port); at != defaultAddr {
		words += " --addr " + at
	}
	if f.rooms != "" {
		words += " --rooms " + f.rooms
	}
	return words
}

// where returns the address to listen on.
func (f presentFlags) where() (string, error) {
	host, port, err := net.SplitHostPort(f.addr)
	if err != nil {
		return f.addr, nil // listen says what is wrong
	}
	if f.listen == "" {
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return "", usagef("--addr %s: other machines may come in only if you say --listen, as in --listen=%s", f.addr, host)
		}
		return f.addr, nil
	}
	if h, p, err := net.SplitHostPort(f.listen); err == nil {
		return net.JoinHostPort(h, p), nil
	}
	return net.JoinHostPort(strings.Trim(f.listen, "[]"), port), nil
}

func (p *program) present(ctx context.Context, name string, f presentFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	addr, err := f.where()
	if err != nil {
		return err
	}
	aliases, err := f.aliases()
	if err != nil {
		return err
	}
	dir, err := p.roomsDir(f.rooms)
	if err != nil {
		return err
	}
	flag := "--addr"
	if f.listen != "" {
		flag = "--listen"
	}
	listener, err := listen(ctx, flag, addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	free, err := lockRooms(dir)
	if err != nil {
		return err
	}
	defer free()
	kept, err := live.Sweep(dir, live.Keep{})
	if err != nil {
		fmt.Fprintf(p.stderr, "%s: old lessons could not be removed: %v\n", name, err)
	}

	s := &presentation{p: p, look: terminal.Of(p.stdout, p.getenv), command: f.course, dir: dir, notices: make(chan live.Notice, 64)}
	if f.rooms != "" {
		s.given = " --rooms " + f.rooms
	}
	host, _, _ := net.SplitHostPort(addr)
	s.url = addressOf(listener, host)
	s.join = urls(aliases, listener)
	o := p.options(name, f.serveFlags)
	o.Lessons = dir
	// What goes well is said in sentences.
	o.Logger = slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	o.Rooms = &web.RoomOptions{Dir: dir, All: f.all, Notice: s.told}
	o.Hosts, o.Origins = names(aliases), s.join
	if f.listen != "" {
		s.join = append(s.join, joinAddresses(listener, host)...)
		o.Hosts = append(o.Hosts, hostNames(host)...)
	}
	if s.open = len(s.join) > 0; s.open {
		o.Rooms.Addresses = s.join
	} else {
		s.join = []string{s.url}
	}
	s.server, err = web.New(o)
	if err != nil {
		return err
	}
	if err := s.begin(f, kept); err != nil {
		return errors.Join(err, s.server.Close())
	}
	s.warn(name, f.all)
	if f.open {
		p.browse(name, s.link(s.rooms[len(s.rooms)-1]))
	}
	told := s.follow(ctx)
	return p.answer(ctx, name, s.server, listener, func() {
		told()
		s.rest(f.again(listener))
	})
}

// roomsDir is the folder that keeps the rooms.
func (p *program) roomsDir(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if root, found := machine.Root(p.getenv("COURSE_ROOT"), here); found {
		return shorter(here, filepath.Join(root, ".course", "rooms")), nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", errors.New("there is no folder in which rooms can be kept: set HOME, or say --rooms")
	}
	return filepath.Join(cache, "workbench", "rooms"), nil
}

// lockRooms keeps other servers from a folder of rooms: two would write into one
// lesson.
func lockRooms(dir string) (free func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the rooms cannot be kept: %w", err)
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("the rooms cannot be kept: %w", err)
	}
	if !got {
		return nil, fmt.Errorf("another workbench presents the rooms of %s: open a further room on its pages, or keep this one's rooms elsewhere with --rooms", dir)
	}
	return func() { _ = lock.Unlock() }, nil
}
