package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Time limits of a connection.
const (
	headerTime = 5 * time.Second
	readTime   = 30 * time.Second
	writeTime  = 60 * time.Second
	idleTime   = 2 * time.Minute
	mostHeader = 64 << 10 // bytes
)

// stopTime is how long requests that are under way may take to end when the server
// stops.
var stopTime = 3 * time.Second

// Serve answers on a listener until ctx is done. Then it closes the listener and what
// is connected and asks for nothing, and lets requests that are under way end; those
// that have not ended after 3 s are cut off, and the error is context.DeadlineExceeded.
// Close is left to the caller.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	silent := silent{conns: map[net.Conn]bool{}}
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    mostHeader,
		ConnState:         silent.is,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		var pages sync.WaitGroup
		pages.Go(s.hub.Close) // Shutdown does not know of them
		silent.close()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		err := server.Shutdown(ctx)
		if err != nil {
			err = errors.Join(err, server.Close())
		}
		pages.Wait()
		stopped <- err
	})
	err := server.Serve(l)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// silent are the connections on which no request has come yet. Browsers open some
// ahead, and may never use them; http.Server.Shutdown would give each of them 5 s.
type silent struct {
	mu    sync.Mutex
	conns map[net.Conn]bool // nil once closed
}

// is takes the states of connections from an http.Server.
func (s *silent) is(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.conns, c)
	case s.conns == nil:
		_ = c.Close()
	default:
		s.conns[c] = true
	}
}

// close closes all of them, and those that come.
func (s *silent) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
	s.conns = nil
}
