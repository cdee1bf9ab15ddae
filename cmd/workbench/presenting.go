package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"workbench/cmd/internal/terminal"
	"workbench/web"
	"workbench/web/live"
)

// presentation is what a terminal says of a server for presenting, while it runs.
type presentation struct {
	p       *program
	look    terminal.Look
	command string // how the program is called
	dir     string // of the rooms
	given   string // the flag that says so, or ""
	server  *web.Server
	rooms   []*live.Room // that the command went on with or opened, the newest last
	url     string       // by which this machine reaches the server
	join    []string     // by which the class does
	open    bool         // other machines reach it too

	notices chan live.Notice
	mu      sync.Mutex // of what is printed
}

// print writes a drawn text. What becomes of it is the terminal's business.
func (s *presentation) print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.look.Print(s.p.stdout, text)
}

func (s *presentation) sentence(format string, args ...any) {
	s.print(s.look.Sentence(fmt.Sprintf(format, args...)))
}

// link returns a fresh presenter's link.
func (s *presentation) link(room *live.Room) string { return s.url + "/present/" + room.Invite() }

// begin goes on with the rooms that there are, or opens one, and says how to come in.
// Kept is the number of lessons that are over and still there.
func (s *presentation) begin(f presentFlags, kept int) error {
	all := s.server.Chapters()
	if len(all) == 0 {
		return usagef("--chapters: %s has no chapters yet: a chapter is a folder in it, with a chapter.md", f.chapters)
	}
	slug := all[0]
	if f.chapter != "" {
		var ok bool
		if slug, _, ok = s.server.Chapter(f.chapter); !ok {
			return usagef("--chapter %s: there is no such chapter: write its number, or its name as in %s", f.chapter, all[0])
		}
	}
	if kept > 0 {
		lessons := "1 lesson that is over is kept in %s, for %d days: `%s replay%s` lists it."
		if kept > 1 {
			lessons = fmt.Sprint(kept) + " lessons that are over are kept in %s, for %d days: `%s replay%s` lists them."
		}
		s.sentence(lessons, s.dir, live.KeptDays, s.command, s.given)
	}
	rooms := s.server.Rooms()
	s.rooms = rooms.Resumed()
	for _, room := range s.rooms {
		s.enter(room, s.link(room), true)
	}
	if len(s.rooms) > 0 && !f.another {
		if f.chapter != "" && s.rooms[len(s.rooms)-1].Chapter() != slug {
			s.sentence("--chapter is for a room that is opened: go there on the stage, or open one with --new.")
		}
		return nil
	}
	room, secret, err := rooms.New(slug)
	if err != nil {
		return err
	}
	<-s.notices // its own
	s.rooms = append(s.rooms, room)
	s.enter(room, s.url+"/present/"+secret, false)
	return nil
}

// enter says how to come into a room.
func (s *presentation) enter(room *live.Room, link string, again bool) {
	r := terminal.Room{Code: room.Code(), Chapter: s.title(room.Chapter()), Again: again, Present: link, Holds: live.InviteTime}
	for _, url := range s.join {
		r.Join = append(r.Join, url+"/join/"+room.Code())
	}
	code := ""
	if s.open {
		code = s.look.Code(r.Join[0])
	}
	s.print(code + s.look.Room(r) + "\n")
}

// title is what a chapter is called where there is a line for it.
func (s *presentation) title(slug string) string {
	if _, title, ok := s.server.Chapter(slug); ok {
		return "“" + title + "”"
	}
	return slug
}

// warn says who else reaches the server, or how others can.
func (s *presentation) warn(name string, all bool) {
	switch {
	case !s.open:
		s.sentence("Only this machine reaches it. With --listen others on your network do.")
	case all:
		fmt.Fprintf(s.p.stderr, "Warning: other machines can reach all pages, and everyone who can may run the examples on this one. Nothing is encrypted on its way.\n")
	case s.sealed():
		fmt.Fprintf(s.p.stderr, "Warning: whoever reaches %s can come into the rooms. Nothing is encrypted between that proxy and this server.\n", list(s.join, "or"))
	default:
		fmt.Fprintf(s.p.stderr, "Warning: other machines can reach the rooms, and nothing is encrypted on its way: use a network that you trust.\n")
	}
	if terminal.IsTerminal(s.p.stdin) {
		s.sentence("Enter prints a fresh link for a presenter. Ctrl-C lets the room rest.")
	} else {
		s.sentence("Ctrl-C lets the room rest.")
	}
}

// sealed reports whether all come through a proxy that encrypts.
func (s *presentation) sealed() bool {
	return !slices.ContainsFunc(s.join, func(url string) bool { return !strings.HasPrefix(url, "https://") })
}

// told takes a notice to where it is printed. It waits for nobody.
func (s *presentation) told(n live.Notice) {
	select {
	case s.notices <- n:
	default: // a terminal that shows nothing for so long does without
	}
}

// follow prints what happens to rooms, and a fresh link for every line that somebody
// enters, until ctx is done and the function that it returns was called.
func (s *presentation) follow(ctx context.Context) (told func()) {
	over := make(chan struct{})
	var following sync.WaitGroup
	following.Go(func() {
		for {
			select {
			case n := <-s.notices:
				s.happened(n)
			case <-over:
				for {
					select {
					case n := <-s.notices:
						s.happened(n)
						continue
					default:
					}
					return
				}
			}
		}
	})
	if terminal.IsTerminal(s.p.stdin) {
		// Nobody waits for it: a read of a terminal ends with the program.
		go func() {
			lines := bufio.NewScanner(s.p.stdin)
			for lines.Scan() && ctx.Err() == nil {
				s.fresh()
			}
		}()
	}
	return func() {
		close(over)
		following.Wait()
	}
}

// happened prints a notice.
func (s *presentation) happened(n live.Notice) {
	at := time.Now().Format("15:04:05")
	if n.Ended {
		s.sentence("%s  The lesson in room %s has ended. For %d days `%s replay %s%s` shows it again.", at, n.Code, live.KeptDays, s.command, n.Code, s.given)
		return
	}
	s.sentence("%s  Room %s was opened at %s. The class joins at %s", at, n.Code, s.title(n.Chapter), s.join[0]+"/join/"+n.Code)
}

// fresh prints a link for each room that goes on.
func (s *presentation) fresh() {
	rooms := s.server.Rooms().All()
	for _, room := range rooms {
		if !room.Ended() {
			s.print(s.look.Room(terminal.Room{Code: room.Code(), Chapter: s.title(room.Chapter()), Again: true, Present: s.link(room), Holds: live.InviteTime, Join: []string{s.join[0] + "/join/" + room.Code()}}))
		}
	}
	if len(rooms) == 0 {
		s.sentence("No room is open. A button on the pages at %s opens one.", s.url)
	}
}

// rest says what becomes of the rooms that have not ended.
func (s *presentation) rest(command string) {
	var codes []string
	for _, room := range s.server.Rooms().All() {
		if !room.Ended() {
			codes = append(codes, room.Code())
		}
	}
	if len(codes) == 0 {
		return
	}
	hours := int(live.ResumeTime / time.Hour)
	if len(codes) == 1 {
		s.sentence("Room %s rests. `%s`, within %d hours, goes on with it, and its pages come back by themselves. It is kept in %s.", codes[0], command, hours, s.dir)
		return
	}
	s.sentence("The rooms %s rest. `%s`, within %d hours, goes on with them, and their pages come back by themselves. They are kept in %s.", list(codes, "and"), command, hours, s.dir)
}
