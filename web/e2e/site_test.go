package e2e

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"workbench/assets"
	"workbench/chapters"
	"workbench/engine"
	"workbench/web"
)

// A Site is a workbench that is served on this machine.
type Site struct {
	options web.Options
	address string // host and port; empty until it is first served

	server *web.Server
	cancel context.CancelFunc
	done   chan error
	wires  *wires
	log    *logbook
}

// The sites of the real course, which most tests share.
var shared = map[bool]func() (*Site, error){
	true:  sync.OnceValues(func() (*Site, error) { return start(options(true)) }),
	false: sync.OnceValues(func() (*Site, error) { return start(options(false)) }),
}

// begun are the shared sites, for TestMain to close.
var begun struct {
	mu    sync.Mutex
	sites []*Site // guarded by mu
}

func closeSites() {
	begun.mu.Lock()
	defer begun.mu.Unlock()
	for _, s := range begun.sites {
		_ = s.stop() // the tests are over
	}
}

// course returns the site of the real course, with or without the bundle.
func course(t testing.TB, bundle bool) *Site {
	t.Helper()
	theBrowser(t) // no server without a reader
	if bundle && !assets.HasBundle() {
		t.Skip("the bundle was not made (./course makes it where npm is installed): charts and formulas are not tested")
	}
	s, err := shared[bundle]()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bundles are the two ways in which a page is served.
var bundles = []struct {
	name    string
	present bool
}{{"with bundle", true}, {"without bundle", false}}

// options are those of the real course.
func options(bundle bool) web.Options {
	o := web.Options{
		Chapters: chapters.FS, Assets: assets.FS, HasBundle: bundle,
		Open: engine.Open, List: engine.List, Emulator: engine.Emulator, Host: engine.Host(), Build: "e2e",
	}
	if !bundle {
		o.Assets = withoutBundle()
	}
	return o
}

// withoutBundle is what a program has that was built without npm: a page that
// asks for a bundle anyway is told that there is none, which the watch sees.
func withoutBundle() fs.FS {
	files := fstest.MapFS{}
	err := fs.WalkDir(assets.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(name, "dist/") && name != "dist/README.md" {
			return err
		}
		body, err := fs.ReadFile(assets.FS, name)
		files[name] = &fstest.MapFile{Data: body}
		return err
	})
	if err != nil {
		panic("BUG: embedded files can be read: " + err.Error())
	}
	return files
}

// withoutNotes are chapters without what they say to who presents them: an answer
// in it is held against a run.
func withoutNotes(chapters fs.FS) fs.FS {
	files := fstest.MapFS{}
	err := fs.WalkDir(chapters, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(chapters, name)
		files[name] = &fstest.MapFile{Data: notesBlock.ReplaceAll(body, nil)}
		return err
	})
	if err != nil {
		panic("BUG: embedded files can be read: " + err.Error())
	}
	return files
}

var notesBlock = regexp.MustCompile("(?ms)^```notes .*?^```\n")

// serve starts a site of its own for a test.
func serve(t testing.TB, o web.Options) *Site {
	t.Helper()
	theBrowser(t)
	s, err := newSite(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.stop() })
	return s
}

// start is serve for a site that outlives the test that first needs it.
func start(o web.Options) (*Site, error) {
	s, err := newSite(o)
	if err == nil {
		begun.mu.Lock()
		defer begun.mu.Unlock()
		begun.sites = append(begun.sites, s)
	}
	return s, err
}

func newSite(o web.Options) (*Site, error) {
	s := &Site{options: o, log: &logbook{}}
	s.options.Logger = slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelError}))
	return s, s.begin()
}

// begin serves the site, after stop at the address that it had.
func (s *Site) begin() error {
	server, err := web.New(s.options)
	if err != nil {
		return err
	}
	address := s.address
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return errors.Join(err, server.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.address, s.server, s.cancel, s.done = listener.Addr().String(), server, cancel, make(chan error, 1)
	s.wires = &wires{Listener: listener}
	go func() { s.done <- server.Serve(ctx, s.wires) }()
	return nil
}

// cut ends every connection at once, as a pulled plug does. The server stays.
func (s *Site) cut() {
	s.wires.mu.Lock()
	defer s.wires.mu.Unlock()
	for _, c := range s.wires.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // without a farewell
		}
		_ = c.Close()
	}
	s.wires.conns = nil
}

// wires is a listener that knows its connections.
type wires struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn // guarded by mu
}

func (w *wires) Accept() (net.Conn, error) {
	c, err := w.Listener.Accept()
	if err == nil {
		w.mu.Lock()
		w.conns = append(w.conns, c)
		w.mu.Unlock()
	}
	return c, err
}

// stop ends the site. Its address stays its own.
func (s *Site) stop() error {
	if s.server == nil {
		return nil
	}
	s.cancel()
	var err error
	select {
	case err = <-s.done:
	case <-time.After(stopTime):
		err = errors.New("the server did not stop")
	}
	err = errors.Join(err, s.server.Close())
	s.server = nil
	return err
}

func (s *Site) url(path string) string { return "http://" + s.address + path }

// A logbook keeps what a server logs.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// take returns what was written since the last take.
func (l *logbook) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}
