package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"workbench/assets"
	"workbench/engine/experiment"
	"workbench/engine/trace"
	"workbench/web/blob"
	"workbench/web/chapter"
	"workbench/web/exercise"
	"workbench/web/guard"
	"workbench/web/live"
	"workbench/web/loading"
	"workbench/web/page"
	"workbench/web/run"
	"workbench/web/socket"
	"workbench/web/watch"
)

// title is the course's name on every page.
const title = "The workbench"

// Server is the workbench's HTTP handler and what it keeps.
type Server struct {
	site    page.Site
	shelf   chapter.Shelf
	assets  *blob.Shelf
	runner  run.Runner
	engine  *run.Engine // that Close closes; nil if Options gave a Runner
	hub     *socket.Hub
	rooms   *live.Rooms // nil if the server was not started for presenting
	guard   guard.Guard
	log     *slog.Logger
	limits  socket.Limits
	compare chan struct{} // a token for each comparison that a download runs

	author *author
	desk   *exercise.Desk // nil if there are no exercises

	edition  atomic.Pointer[edition]
	printing sync.Mutex // held while a new edition is made of the one before
	handler  http.Handler

	roomPages roomPages
	replays   *replays
	lessons   string   // the folder of those that are kept, or ""
	addresses []string // by which a class reaches the server
	openToAll bool     // other machines may see all pages
	shared    bool     // others are meant to reach the server
	claim     string   // what the cookie holds of whoever sits at this machine
	tallies   tallies
	refusals  *live.Refusals
	downloads chan struct{} // a token for each lesson that is packed

	stop context.CancelFunc
	work sync.WaitGroup
}

// New reads the chapters, runs their widgets, and returns a server that is
// ready to answer. A mistake in the course's own chapters is an error that names
// all of them, by file, line and field; in an author's folder it shows on the
// pages instead.
func New(o Options) (*Server, error) {
	if o.Chapters == nil || o.Assets == nil || o.Runner == nil && (o.Open == nil || o.List == nil || o.Emulator == nil) {
		return nil, errors.New("web: Options needs Chapters, Assets, and either Open, List and Emulator or a Runner")
	}
	s := &Server{
		runner:  o.Runner,
		log:     o.Logger,
		guard:   guard.Guard{Hosts: o.Hosts, Origins: o.Origins},
		shared:  len(o.Origins) > 0 || o.Rooms != nil && len(o.Rooms.Addresses) > 0,
		claim:   live.NewSecret(),
		limits:  o.Limits.WithDefaults(),
		compare: make(chan struct{}, mostComparisons),
		replays: newReplays(),
		lessons: o.Lessons,

		downloads: make(chan struct{}, mostDownloads),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.refusals = live.NewRefusals(s.log)
	if s.runner == nil {
		s.engine = run.NewEngine(o.Open, o.List, o.Emulator)
		s.runner = s.engine
	}
	var err error
	if s.assets, err = blob.NewShelf(o.Assets); err != nil {
		return nil, fmt.Errorf("web: the assets cannot be listed: %w", err)
	}
	for _, name := range []string{"css/main.css", "css/desk.css"} {
		style, err := loading.Style(o.Assets, name)
		if err != nil {
			return nil, fmt.Errorf("web: the style sheets cannot be read: %w", err)
		}
		s.assets.Put(name, style)
	}
	measured, err := assets.ReadMeasurements(o.Assets)
	if err != nil {
		return nil, fmt.Errorf("web: the measurements cannot be read: %w", err)
	}
	s.shelf = chapter.Shelf{FS: o.Chapters, Name: "chapters", Quotes: []fs.FS{o.Chapters}, Measurements: measured, Runner: s.runner}
	if o.AuthorDir != "" {
		if info, err := os.Stat(o.AuthorDir); err != nil {
			return nil, fmt.Errorf("the folder of chapters cannot be read: %w", err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("%s is no folder: give the folder that has the chapters' folders in it", o.AuthorDir)
		}
		own := os.DirFS(o.AuthorDir)
		s.shelf.FS, s.shelf.Name = own, o.AuthorDir
		s.shelf.Quotes = []fs.FS{own, o.Chapters}
	}

	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	scripts := rollScripts(o.Assets)
	lib, err := s.shelf.Load(ctx, nil)
	switch {
	case o.AuthorDir == "":
		if err == nil {
			err = lib.Err()
		}
	case err != nil:
		err = fmt.Errorf("the chapters cannot be read: %s", inFolder(o.AuthorDir, err))
	}
	err = errors.Join(err, s.putScripts(scripts))
	if err != nil {
		stop()
		return nil, errors.Join(err, s.closeEngine())
	}
	link := func(name string) string { return s.assets.Link("/assets/", name) }
	s.site = page.Site{
		Title: title, Build: o.Build, HasBundle: o.HasBundle, Author: o.AuthorDir != "", Presents: o.Rooms != nil,
		Style: link("css/main.css"), Early: link("js/theme-early.js"), Enter: link("js/enter.js"), Icon: link("icons/favicon.svg"), Script: link(mainScript),
		Desk: link("css/desk.css"), DeskScript: link(deskScript),
	}
	if o.Exercises != nil {
		if s.desk, err = exercise.NewDesk(o.Exercises, o.Desk); err != nil {
			stop()
			return nil, errors.Join(err, s.closeEngine())
		}
	}
	first := newEdition(s.site, lib, s.book(), nil)
	s.edition.Store(first)
	s.author = &author{dir: o.AuthorDir, notice: o.Notice}
	s.author.loaded(lib)
	s.hub = socket.NewHub(socket.Options{
		Runner: s.runner, Host: o.Host, PageTrace: s.pageTrace, PageOutcome: s.pageOutcome, Measurements: measured, Build: o.Build, Reload: o.AuthorDir != "", Exercises: first.book.Versions(), Logger: s.log, Limits: o.Limits,
	})
	if err := s.openRooms(o.Rooms, o.Build); err != nil {
		stop()
		s.hub.Close()
		return nil, errors.Join(err, s.closeEngine())
	}
	s.handler = s.guard.Wrap(s.recovered(s.reached(o.Rooms, s.routes())), func(w http.ResponseWriter, r *http.Request, status int, reason string) {
		s.refusals.Log("a request was refused", "path", loggable(r), "origin", clipped(r.Header.Get("Origin")), "host", clipped(r.Host), "status", status)
		s.fail(w, r, &failure{status: status, heading: "This request was refused", sentence: reason})
	})
	s.work.Go(func() { first.warm(ctx) })
	if s.desk != nil {
		s.work.Go(func() { s.followExercises(ctx) })
	}
	if o.AuthorDir != "" {
		reload := func() { s.reload(ctx) }
		// Once more when the watch stands: a file may have been saved since it
		// was read.
		s.work.Go(func() { watch.Folder(ctx, o.AuthorDir, watch.Options{Ready: reload, Logger: s.log}, reload) })
	}
	return s, nil
}

// Handler returns the handler of every address.
func (s *Server) Handler() http.Handler { return s.handler }

// Chapters returns the slugs of the chapters, in order.
func (s *Server) Chapters() []string {
	var slugs []string
	for _, c := range s.edition.Load().library.Chapters {
		slugs = append(slugs, c.Slug)
	}
	return slugs
}

// Chapter returns a chapter's slug and title by its number, its slug, or the slug
// without its number.
func (s *Server) Chapter(name string) (slug, title string, ok bool) {
	for _, c := range s.edition.Load().library.Chapters {
		_, bare, _ := strings.Cut(c.Slug, "-")
		if c.Slug == name || c.Number > 0 && (strconv.Itoa(c.Number) == name || bare == name) {
			return c.Slug, c.Title(), true
		}
	}
	return "", "", false
}

// Close ends the live connections and what they run, and closes the devices.
func (s *Server) Close() error {
	s.stop()
	s.hub.Close()
	s.work.Wait()
	var rooms error
	if s.rooms != nil {
		rooms = s.rooms.Close()
	}
	return errors.Join(rooms, s.replays.close(), s.closeEngine())
}

func (s *Server) closeEngine() error {
	if s.engine == nil {
		return nil
	}
	return s.engine.Close()
}

// reload reads the author's folder again and tells the pages that changed.
func (s *Server) reload(ctx context.Context) {
	lib, err := s.shelf.Load(ctx, s.edition.Load().library)
	if err != nil {
		if ctx.Err() == nil {
			s.author.failed(err)
		}
		return
	}
	s.author.loaded(lib)
	s.printing.Lock()
	before := s.edition.Load()
	now := newEdition(s.site, lib, before.book, nil)
	s.edition.Store(now)
	s.printing.Unlock()
	for _, slug := range now.changed(before) {
		s.hub.Reload(slug)
	}
}

// pageOutcome returns what came of a kernel that a widget was served with, or nil.
func (s *Server) pageOutcome(slug, widget string, which int) *experiment.Outcome {
	c := s.edition.Load().library.Chapter(slug)
	if c == nil {
		return nil
	}
	if w := c.Widget(widget); w != nil && which >= 0 && which < len(w.Kernels) {
		return w.Kernels[which].Outcome
	}
	return nil
}

// pageTrace returns the trace that a widget was served with, or nil.
func (s *Server) pageTrace(slug, widget string) *trace.Trace {
	c := s.edition.Load().library.Chapter(slug)
	if c == nil {
		return nil
	}
	w := c.Widget(widget)
	if w == nil {
		return nil
	}
	return w.Trace
}
