package live

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"workbench/web/run"
	"workbench/web/run/runtest"
	"workbench/web/socket"
)

// smallCourse is a course for targets that look at nothing else.
type smallCourse struct{}

func (smallCourse) Chapter(slug string) (string, bool) { return "One", slug == "01-one" }
func (smallCourse) Widget(_, id string) bool           { return id == "add" }
func (smallCourse) Exercise(id string) (string, bool)  { return "Guard", id == "guard" }
func quietHub(t testing.TB) *socket.Hub {
	hub := socket.NewHub(socket.Options{Runner: &runtest.Runner{}, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(hub.Close)
	return hub
}

// Whatever pages say, a follower changes nothing that the class sees, what a presenter
// changes is news that can be written, and what is refused is refused with a failure.
func FuzzDo(f *testing.F) {
	for _, text := range []string{
		`{"do":"drive","lease":1,"chapter":"01-one","at":{"block":2},"widget":"add","view":{"place":{"step":3},"texts":{"a":"b"},"ran":{"n":1,"texts":null,"device":"cpu"},"last":9},"pointer":{"path":[1],"x":0.5,"y":1}}`,
		`{"do":"drive","lease":1,"pointer":null}`, `{"do":"wheel","act":"give","to":"x"}`, `{"do":"mode","mode":"locked"}`, `{"do":"invite"}`,
		`{"do":"poll","act":"open","question":"?","kind":"choice","choices":["a","b"],"answer":"a","about":{"step":1}}`, `{"do":"poll","act":"reveal"}`,
		`{"do":"poll","act":"open","question":"?","kind":"number","answer":"-0x1p-2"}`, `{"do":"answer","poll":1,"text":"1e999"}`,
		`{"do":"question","text":"\u202eWhy?"}`, `{"do":"done","n":1}`, `{"do":"lost","lost":true}`, `{"do":"unlost"}`, `{"do":"wander","free":true}`, `{"do":"end","share":true}`,
		`null`, `[]`, `{"do":1}`, `{`, ``,
	} {
		f.Add([]byte(text))
	}
	hub := quietHub(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		rooms, err := Open(Options{Hub: hub, Course: smallCourse{}})
		if err != nil {
			t.Fatal(err)
		}
		defer rooms.Close()
		room, secret, err := rooms.New("01-one")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := rooms.Redeem(secret); err != nil {
			t.Fatal(err)
		}
		p := room.presenters[0]
		stage := &member{you: You{Page: "p1", As: AsStage, Presenter: p.ID}, presenter: p}
		follower := &member{you: You{Page: "p2", As: AsFollow}, seat: digestOf("a")}
		shown := func() string {
			room.mu.Lock()
			defer room.mu.Unlock()
			n := room.all(stage)
			n.Class = nil
			text, err := json.Marshal(n)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		said := func(m *member) {
			var failure *run.Failure
			if _, err := room.do(m, text); err != nil && !errors.As(err, &failure) {
				t.Errorf("%q: %v is no failure", text, err)
			}
		}
		before := shown()
		said(follower)
		if after := shown(); after != before {
			t.Errorf("a follower said %q, and the class sees\n%s\nin place of\n%s", text, after, before)
		}
		said(stage)
		shown()
		said(follower) // to a poll that is open now, say
		for _, q := range room.class.questions {
			if strings.ContainsAny(q.Text, "\n\u202e") || len([]rune(q.Text)) > questionRunes {
				t.Errorf("%q was taken as the question %q", text, q.Text)
			}
		}
	})
}

// Whatever is in the files of a room, the server starts; a room that goes on is whole.
func FuzzRevive(f *testing.F) {
	hub := quietHub(f)
	dir := f.TempDir()
	rooms, err := Open(Options{Hub: hub, Course: smallCourse{}, Dir: dir})
	if err != nil {
		f.Fatal(err)
	}
	room, secret, err := rooms.New("01-one")
	if err != nil {
		f.Fatal(err)
	}
	if _, _, err = rooms.Redeem(secret); err != nil {
		f.Fatal(err)
	}
	stage := &member{presenter: room.presenters[0]}
	for _, said := range []string{
		`{"do":"drive","lease":1,"widget":"add","view":{"last":2},"pointer":{"path":[1],"x":0,"y":0}}`,
		`{"do":"poll","act":"open","question":"?","kind":"choice","choices":["a","b"],"answer":"a"}`,
	} {
		if _, err := room.do(stage, []byte(said)); err != nil {
			f.Fatal(err)
		}
	}
	answer, err := socket.NewAnswer(socket.Message{Type: socket.Trace, Run: "e1r1"})
	if err != nil {
		f.Fatal(err)
	}
	room.record(stage, socket.Request{Type: socket.Run}, answer)
	if err := room.Pass("a", "guard"); err != nil {
		f.Fatal(err)
	}
	if err := rooms.Close(); err != nil {
		f.Fatal(err)
	}
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, room.Code(), name))
		if err != nil {
			f.Fatal(err)
		}
		return text
	}
	file, lesson := read(roomFile), read(LessonFile)
	f.Add(file, lesson)
	f.Add(file, lesson[:len(lesson)-7])
	f.Add(file, []byte(strings.Replace(string(lesson), `"view"`, `"poll"`, 1)))
	f.Add([]byte(strings.Replace(string(file), `"presenters":[{`, `"presenters":[null,{`, 1)), lesson)
	f.Add([]byte(strings.Replace(string(file), `"kind":"choice"`, `"kind":"number","answers":{"zz":""}`, 1)), lesson)
	f.Add([]byte(`{"version":1,"last_use":"2999-01-01T00:00:00Z","poll":{},"passes":{"guard":null}}`), lesson)
	f.Add([]byte(`null`), []byte(`{"format":"workbench lesson","version":1}`))
	f.Fuzz(func(t *testing.T, file, lesson []byte) {
		dir := t.TempDir()
		folder := filepath.Join(dir, "ABC234")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{roomFile: file, LessonFile: lesson} {
			if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		rooms, err := Open(Options{Hub: hub, Course: smallCourse{}, Dir: dir})
		if room := rooms.Room("ABC234"); room != nil {
			seat, err := room.Seat(AsFollow, "", "a")
			if err != nil {
				t.Fatal(err)
			}
			room.mu.Lock()
			if room.state.Chapter != "01-one" {
				t.Errorf("the room is at %q", room.state.Chapter)
			}
			for _, p := range room.presenters {
				room.all(&member{presenter: p}).encode()
			}
			room.mu.Unlock()
			seat.Rise(nil)
		} else if err != nil && !strings.Contains(err.Error(), "ABC234") {
			t.Errorf("the error does not say which room it is of: %v", err)
		}
		if err := rooms.Close(); err != nil {
			t.Error(err)
		}
	})
}
