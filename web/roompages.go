package web

import (
	"net/http"
	"net/url"
	"sync"

	"workbench/web/blob"
	"workbench/web/chapter"
	"workbench/web/guard"
	"workbench/web/live"
	"workbench/web/page"
)

// roomPages are the chapters' pages in rooms, which are the same for all who come
// in one role. Those of an edition are forgotten with it.
type roomPages struct {
	mu      sync.Mutex
	edition *edition
	pages   map[roomPage]*blob.Blob
}

type roomPage struct {
	code, slug string
	as         live.Role
}

// mostRoomPages bounds the pages that are kept: each is of some hundred KB.
const mostRoomPages = 48

// page returns a page, and makes it if it is not kept.
func (p *roomPages) page(e *edition, key roomPage, write func() []byte) *blob.Blob {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.edition != e || len(p.pages) >= mostRoomPages {
		p.edition, p.pages = e, map[roomPage]*blob.Blob{}
	}
	if p.pages[key] == nil {
		p.pages[key] = blob.New(htmlType, write)
	}
	return p.pages[key]
}

// roomChapter serves a chapter to those who are in the room in a role.
func (s *Server) roomChapter(as live.Role) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		find := s.room
		if as.Presents() {
			find = s.presented
		}
		room, err := find(r)
		if err != nil {
			return err
		}
		if r.PathValue("code") != room.Code() { // cookies have paths, of which case counts
			http.Redirect(w, r, base(room, as)+url.PathEscape(r.PathValue("slug")), http.StatusSeeOther)
			return nil
		}
		c, err := s.chapterOf(r)
		if err != nil {
			return err
		}
		if as == live.AsFollow {
			seated(w, r)
		}
		if as == live.AsPreview {
			w.Header().Set("Content-Security-Policy", guard.Framed)
			w.Header().Set("X-Frame-Options", "SAMEORIGIN")
		}
		e := s.edition.Load()
		site := s.site
		site.Room = roomOf(room, as, c.Slug)
		site.Room.Tasks = s.tasks(e, c, room)
		if as == live.AsStage {
			site.Room.Join = s.joinURLs(room)
		}
		s.roomPages.page(e, roomPage{room.Code(), c.Slug, as}, func() []byte {
			return page.Chapter(site, e.library, nil, c)
		}).Serve(w, r, http.StatusOK)
		return nil
	}
}

// tasks are the exercises of a chapter, without how far anybody is with them.
func (s *Server) tasks(e *edition, c *chapter.Chapter, room *live.Room) []page.Task {
	g := e.book.Group(c.Number)
	if g == nil {
		return nil
	}
	where := room.Code()
	if len(s.addresses) > 0 {
		where = s.joinURL(room)
	}
	var tasks []page.Task
	for _, x := range g.Entries {
		tasks = append(tasks, page.Task{ID: x.ID, Title: x.Title, Kind: x.Kind, Command: x.Command + " --room " + where, Statement: x.Statement})
	}
	return tasks
}

// roomOf is what a page at a chapter says of the room that it is in.
func roomOf(room *live.Room, as live.Role, slug string) *page.Room {
	return &page.Room{
		Code: room.Code(), As: string(as), Base: base(room, as),
		Live: "/rooms/" + room.Code() + "/live?as=" + string(as) + "&chapter=" + slug,
	}
}

// base is what chapters' addresses begin with on a page in a room.
func base(room *live.Room, as live.Role) string {
	folder := "chapters"
	if as == live.AsStage || as == live.AsPreview {
		folder = string(as)
	}
	return "/rooms/" + room.Code() + "/" + folder + "/"
}
