package web

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"workbench/web/blob"
	"workbench/web/page"
	"workbench/web/run"
)

// A failure is an error with its HTTP status and what a person is told. Cause,
// if any, is for the log alone.
type failure struct {
	status   int
	heading  string
	sentence string
	detail   *run.Detail // what a script or a download gets after the sentence
	page     []byte      // what a person gets in place of the usual page
	cause    error
}

func (f *failure) Error() string {
	if f.cause != nil {
		return fmt.Sprintf("%s: %v", f.sentence, f.cause)
	}
	return f.sentence
}

func (f *failure) Unwrap() error { return f.cause }

// notFound is the failure of an address that leads nowhere.
func notFound(sentence string) *failure {
	return &failure{status: http.StatusNotFound, heading: "Nothing is here", sentence: sentence}
}

// statuses are the HTTP statuses of a Runner's failures.
var statuses = map[run.Code]int{
	run.CodeInput:     http.StatusBadRequest,
	run.CodeProtocol:  http.StatusBadRequest,
	run.CodeDevice:    http.StatusNotFound,
	run.CodeFault:     http.StatusBadGateway, // what stands behind this server failed
	run.CodeTimeout:   http.StatusGatewayTimeout,
	run.CodeMemory:    http.StatusInsufficientStorage,
	run.CodeCompile:   http.StatusUnprocessableEntity,
	run.CodeBusy:      http.StatusServiceUnavailable,
	run.CodeTooLarge:  http.StatusRequestEntityTooLarge,
	run.CodeCancelled: http.StatusRequestTimeout,
}

// asFailure turns what a handler returned into a failure. What it does not
// know is status 500, and its text stays in the log.
func asFailure(err error) *failure {
	var known *failure
	if errors.As(err, &known) {
		return known
	}
	f := run.Describe(err)
	status, ok := statuses[f.Code]
	if !ok {
		return &failure{status: http.StatusInternalServerError, heading: "The workbench made a mistake", sentence: "This page could not be made. The terminal that serves it has the details.", cause: err}
	}
	return &failure{status: status, heading: "This cannot be done", sentence: f.Error(), detail: f.Detail}
}

// handler is an HTTP handler that reports what went wrong. An error must come
// before anything is written.
type handler func(w http.ResponseWriter, r *http.Request) error

// adapt is the one place where an error becomes an answer.
func (s *Server) adapt(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.fail(w, r, asFailure(err))
		}
	})
}

// recovered answers a request whose handler panicked, and logs where.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.log.Error("a request panicked", "path", loggable(r), "panic", p, "stack", string(debug.Stack()))
			s.fail(w, r, &failure{status: http.StatusInternalServerError, heading: "The workbench made a mistake", sentence: "This page could not be made. The terminal that serves it has the details."})
		}()
		next.ServeHTTP(w, r)
	})
}

// fail writes a failure: a page for people, one line for what a script or a
// download asked for.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, f *failure) {
	if f.cause != nil {
		s.log.Error("a request failed", "path", loggable(r), "status", f.status, "error", f.cause)
	}
	if f.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "2")
	}
	if forScripts(r.URL.Path) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(f.status)
		fmt.Fprintln(w, f.sentence)
		if f.detail != nil {
			fmt.Fprintf(w, "%s:\n  %s\n", f.detail.Title, strings.Join(f.detail.Lines, "\n  "))
		}
		return
	}
	if f.page != nil {
		blob.New(htmlType, func() []byte { return f.page }).ServeOnce(w, r, f.status)
		return
	}
	if s.outside(r) {
		ways := []page.Way{toJoin}
		if f.status == http.StatusMisdirectedRequest {
			ways = nil // by that name nothing is reached
		}
		body := page.Told(s.site, f.heading, f.sentence, ways...)
		blob.New(htmlType, func() []byte { return body }).Serve(w, r, f.status)
		return
	}
	e, site := s.edition.Load(), s.site
	site.Presents = s.presents(r)
	body := page.Message(site, e.library, e.book, f.heading, f.sentence)
	blob.New(htmlType, func() []byte { return body }).Serve(w, r, f.status)
}
