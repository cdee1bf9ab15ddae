package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"workbench/web/live"
)

func TestParseRoom(t *testing.T) {
	for text, want := range map[string]string{
		"K7QM2X":                               "http://127.0.0.1:8080 K7QM2X",
		"k7q-m2x":                              "http://127.0.0.1:8080 K7QM2X",
		"http://192.168.1.20:8080/join/K7QM2X": "http://192.168.1.20:8080 K7QM2X",
		"192.168.1.20:8080/join/k7qm2x":        "http://192.168.1.20:8080 K7QM2X",
		"http://[fd00::20]:8080/join/K7QM2X/":  "http://[fd00::20]:8080 K7QM2X",
		"https://class.example/rooms/K7QM2X/chapters/01-one?step=2#x": "https://class.example K7QM2X",
		"classroom.local:8080/rooms/K7QM2X":                           "http://classroom.local:8080 K7QM2X",

		"": "", "K7QM2": "", "K0QM2X": "", "guard": "", "http://192.168.1.20:8080": "", "http://192.168.1.20:8080/join": "",
		"http://192.168.1.20:8080/present/K7QM2X": "", "ftp://192.168.1.20/join/K7QM2X": "", "http:///join/K7QM2X": "",
		"http://me:secret@192.168.1.20/join/K7QM2X": "", "file:///join/K7QM2X": "", "http://%zz/join/K7QM2X": "",
	} {
		room, err := ParseRoom(text)
		got := ""
		if err == nil {
			got = room.base + " " + room.Code
		} else if !strings.Contains(err.Error(), "http://192.168.1.20:8080/join/K7QM2X") {
			t.Errorf("%q: the error shows no way out: %v", text, err)
		}
		if got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// takesReports is a server that answers reports so, and keeps what it was sent.
func takesReports(t *testing.T, answer http.HandlerFunc) (room *Room, sent func() []live.Report) {
	t.Helper()
	var mu sync.Mutex
	var all []live.Report
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		decoder := json.NewDecoder(strings.NewReader(string(body)))
		decoder.DisallowUnknownFields()
		var report live.Report
		if decodes := decoder.Decode(&report); err != nil || decodes != nil || r.Method != http.MethodPost || r.URL.String() != "/rooms/K7QM2X/passes" {
			t.Errorf("%s %s, %s: %v", r.Method, r.URL, body, errors.Join(err, decodes))
		}
		for name := range r.Header {
			switch name {
			case "Content-Type", "Content-Length", "User-Agent", "Accept-Encoding", "Connection":
			default:
				t.Errorf("%s is sent too: %v", name, r.Header[name])
			}
		}
		mu.Lock()
		all = append(all, report)
		mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(h.Close)
	room, err := ParseRoom(h.URL + "/join/K7QM2X")
	if err != nil {
		t.Fatal(err)
	}
	return room, func() []live.Report {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

func ok(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, `{"ok":true}`) }

// A folder has one name for a room, however many checks ask for it at once, and
// another for the next.
func TestReport(t *testing.T) {
	room, sent := takesReports(t, ok)
	dir := t.TempDir()
	var going sync.WaitGroup
	for range 8 {
		going.Go(func() {
			if err := room.Report(t.Context(), dir, "guard"); err != nil {
				t.Error(err)
			}
		})
	}
	going.Wait()
	first := sent()[0]
	for _, r := range sent() {
		if r != first || r.Exercise != "guard" || len(r.Reporter) < leastToken {
			t.Errorf("sent are %v and %v", first, r)
		}
	}
	if err := room.Report(t.Context(), t.TempDir(), "guard"); err != nil || sent()[8].Reporter == first.Reporter {
		t.Errorf("another learner has the same name, %v", err)
	}
	other := *room
	other.Code = "ABCDEF"
	if again, err := tokenFor(dir, other.Code); err != nil || again == first.Reporter {
		t.Errorf("another room is told the same name, %v", err)
	}
	for i := range 2 * mostTokens {
		if _, err := tokenFor(dir, fmt.Sprintf("AAAA%c%c", 'A'+i%8, 'A'+i/8)); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(dir, ".rooms")); err != nil || len(entries) > mostTokens {
		t.Errorf("%d names are kept, %v", len(entries), err)
	}
	name := filepath.Join(dir, ".rooms", "BBBBBB")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if token, err := tokenFor(dir, "BBBBBB"); err != nil || len(token) < leastToken {
		t.Errorf("after a file that was cut off: %q, %v", token, err)
	}
}

// Whatever is at the other end, a report ends soon and says what to do.
func TestReportFails(t *testing.T) {
	time0 := reporter.Timeout
	t.Cleanup(func() { reporter.Timeout = time0 })
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"no room": {http.NotFound, "there is no such room at 127.0.0.1:"},
		"over":    {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "The lesson has ended.", http.StatusGone) }, "the lesson has ended"},
		"busy": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Many reports came.\nmore", http.StatusTooManyRequests)
		}, "it answers: Many reports came"},
		"leads away": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusTemporaryRedirect)
		}, "is no workbench that presents"},
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(403)
		}, "is no workbench that presents (403"},
		"without end": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, strings.Repeat("x", 1<<20), 500) }, "it answers: xxx"},
		"silent":      {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "nobody answers at 127.0.0.1:"},
	} {
		room, _ := takesReports(t, c.answer)
		reporter.Timeout = time0
		if name == "silent" {
			reporter.Timeout = 50 * time.Millisecond
		}
		err := room.Report(t.Context(), t.TempDir(), "guard")
		var report *ReportError
		if !errors.As(err, &report) || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 400 {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if told := room.Told("guard", err); !strings.HasPrefix(told, "Room K7QM2X could not be told that guard passed: ") || !strings.HasSuffix(told, "The exercise has passed all the same.") {
			t.Errorf("%s: %s", name, told)
		}
	}
	reporter.Timeout = time0
	room, _ := takesReports(t, ok)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := room.Report(t.Context(), file, "guard"); err == nil || !strings.Contains(err.Error(), "no name for the report can be kept") {
		t.Errorf("without a folder: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := room.Report(ctx, t.TempDir(), "guard"); !errors.Is(err, context.Canceled) {
		t.Errorf("after Ctrl-C: %v", err)
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	near := roomAt(gone.URL, "K7QM2X", true)
	if err := near.Report(t.Context(), t.TempDir(), "guard"); err == nil || !strings.Contains(err.Error(), "a code alone means one on this machine; write the whole address") {
		t.Errorf("by the code alone: %v", err)
	}
}

// A session tells a room what passes: once, and again only if that failed.
func TestSessionTellsRoom(t *testing.T) {
	broken := true
	room, sent := takesReports(t, func(w http.ResponseWriter, r *http.Request) {
		if broken {
			http.Error(w, "Not now.", http.StatusServiceUnavailable)
			return
		}
		ok(w, r)
	})
	l := newLearner(t, nil)
	r := start(t, l)
	r.Room = room
	r.says("Not begun")
	r.save(answered("7"))
	r.says("Not passed")
	r.save(answered("1"))
	r.says("Room K7QM2X could not be told that first-sum passed: it answers: Not now. The exercise has passed all the same.")
	broken = false
	r.key("r")
	r.says("Room K7QM2X was told that somebody passed first-sum, and not who.")
	r.key("r")
	r.says("Passed")
	r.key("n")
	r.says("exercise 2 of 3")
	r.save(answered("2"))
	r.says("Room K7QM2X was told that somebody passed second-sum")
	if all := sent(); len(all) != 3 || all[0].Exercise != "first-sum" || all[1] != all[0] || all[2].Exercise != "second-sum" || all[2].Reporter != all[0].Reporter {
		t.Errorf("sent was %v", all)
	}
}
