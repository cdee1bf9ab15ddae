package study

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"workbench/web/live"
)

// Room is one in which a lesson is given. It is told which exercises pass, by a
// learner who asked for that.
type Room struct {
	Code string
	at   string // host and port
	base string // of its addresses: http://192.168.1.20:8080
	near bool   // only the code was given
}

// ownRooms is where a workbench on this machine presents, if nobody says otherwise.
const ownRooms = "http://127.0.0.1:8080"

// Bounds of a report.
const (
	reportTime  = 3 * time.Second
	mostAnswer  = 4 << 10 // bytes
	mostTokens  = 32      // rooms of which a learner's folder keeps a name
	leastToken  = 16      // characters
	longestTold = 200     // bytes of what the room answers
)

// ParseRoom reads how somebody names a room: by its code alone, which is one of a
// workbench on this machine, or by an address of it, such as that of its page for
// joining.
func ParseRoom(text string) (*Room, error) {
	if code := live.ParseCode(text); code != "" {
		return roomAt(ownRooms, code, true), nil
	}
	address := text
	if !strings.Contains(address, "://") {
		address = "http://" + address // as it is read off a wall
	}
	u, err := url.Parse(address)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil {
		parts := strings.Split(strings.Trim(u.Path, "/"), "/")
		if len(parts) >= 2 && (parts[0] == "join" || parts[0] == "rooms") {
			if code := live.ParseCode(parts[1]); code != "" {
				return roomAt(u.Scheme+"://"+u.Host, code, false), nil
			}
		}
	}
	return nil, errors.New("write the room's code, such as K7QM2X, or the address of its page for joining, as in http://192.168.1.20:8080/join/K7QM2X")
}

func roomAt(base, code string, near bool) *Room {
	_, at, _ := strings.Cut(base, "://")
	return &Room{Code: code, at: at, base: base, near: near}
}

// A ReportError is that a room was not told. Nothing else is lost by it.
type ReportError struct {
	Room, Exercise string
	Reason         string
}

func (e *ReportError) Error() string {
	return fmt.Sprintf("room %s could not be told that %s passed: %s", e.Room, e.Exercise, e.Reason)
}

// Told says what came of a report that ended so.
func (r *Room) Told(exercise string, err error) string {
	if err == nil {
		return fmt.Sprintf("Room %s was told that somebody passed %s, and not who.", r.Code, exercise)
	}
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + ". The exercise has passed all the same."
}

// reporter sends reports. What names rooms is on the learner's own network: no proxy
// knows of it, and nothing leads elsewhere.
var reporter = &http.Client{
	Timeout: reportTime,
	Transport: &http.Transport{
		DialContext: (&net.Dialer{Timeout: reportTime}).DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10,
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Report tells the room that an exercise passed: its ID, and a random word that the
// learner's folder keeps for this room, so that nobody counts twice. Nothing else is
// sent. Its error is a *ReportError, or that of a context that is done.
func (r *Room) Report(ctx context.Context, dir, exercise string) error {
	failed := func(format string, args ...any) error {
		return &ReportError{Room: r.Code, Exercise: exercise, Reason: fmt.Sprintf(format, args...)}
	}
	token, err := tokenFor(dir, r.Code)
	if err != nil {
		return failed("no name for the report can be kept (%v)", err)
	}
	body, err := json.Marshal(live.Report{Exercise: exercise, Reporter: token})
	if err != nil {
		return err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base+"/rooms/"+r.Code+"/passes", bytes.NewReader(body))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	answer, err := reporter.Do(q)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		if r.near {
			return failed("no workbench answers at %s, and a code alone means one on this machine; write the whole address of the page for joining", r.at)
		}
		return failed("nobody answers at %s", r.at)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, mostAnswer)) // what came of it is enough
	switch answer.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusNotFound:
		return failed("there is no such room at %s; the lesson may be over", r.at)
	case http.StatusGone:
		return failed("the lesson has ended")
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if len(line) > longestTold {
		line = strings.ToValidUTF8(line[:longestTold], "") + "…"
	}
	if kind := answer.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") || line == "" {
		return failed("what answers at %s is no workbench that presents (%s)", r.at, answer.Status)
	}
	return failed("it answers: %s", strings.TrimSuffix(line, "."))
}

// tokenFor returns the word by which a learner's reports to a room are known, and makes
// one if there is none.
func tokenFor(dir, code string) (string, error) {
	folder := filepath.Join(dir, ".rooms")
	name := filepath.Join(folder, code)
	read := func() string {
		text, err := os.ReadFile(name)
		if token := strings.TrimSpace(string(text)); err == nil && len(token) >= leastToken && len(token) <= 100 {
			return token
		}
		return ""
	}
	if token := read(); token != "" {
		return token, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	if err := forget(folder); err != nil {
		return "", err
	}
	// Whole before it has its name: two checks at once must not have two.
	f, err := os.CreateTemp(folder, ".new-*") // 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(rand.Text() + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if err := os.Link(f.Name(), name); errors.Is(err, fs.ErrExist) {
		if token := read(); token != "" {
			return token, nil
		}
		err = os.Rename(f.Name(), name) // what stood there was none
		if err != nil {
			return "", err
		}
	} else if err != nil {
		// Not every file system has links.
		if err := os.Rename(f.Name(), name); err != nil {
			return "", err
		}
	}
	if token := read(); token != "" {
		return token, nil
	}
	return "", fmt.Errorf("%s cannot be read", name)
}

// forget removes the oldest words, so that one more has place.
func forget(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, old := range files[min(len(files), mostTokens-1):] {
		if err := os.Remove(filepath.Join(folder, old.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
