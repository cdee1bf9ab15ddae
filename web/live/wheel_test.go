package live_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"workbench/web/live"
)

// invited returns the cookie of a co-presenter whom a page invites.
func (l lesson) invited(by *page) (token string) {
	l.Helper()
	var reply struct{ Room struct{ Path string } }
	if err := json.Unmarshal([]byte(by.say(`{"do":"invite"}`, fine)), &reply); err != nil {
		l.Fatal(err)
	}
	secret, ok := strings.CutPrefix(reply.Room.Path, "/present/")
	if !ok {
		l.Fatalf("the invitation is %q", reply.Room.Path)
	}
	return l.redeem(secret)
}

func TestWheel(t *testing.T) {
	s := open(t, "", live.Limits{Grace: time.Hour})
	l := s.begin()
	stage := l.stage()
	desk := l.enter(live.AsDesk, l.token, "desk") // the same presenter's
	other := l.enter(live.AsStage, l.invited(stage), "other")
	f := l.follower("a")
	me, them := stage.you["presenter"].(string), other.you["presenter"].(string)
	if me == them || desk.you["presenter"] != me {
		t.Fatalf("the presenters are %s, %s and %s", me, desk.you["presenter"], them)
	}
	// Who has not the wheel may not drive, whatever the lease.
	other.say(`{"do":"drive","lease":1,"chapter":"02-two"}`, refused("lease"))
	other.say(`{"do":"wheel","act":"give","to":"`+them+`"}`, refused("lease"))
	desk.drive(1, `"at":{"block":1}`)
	// Taken it is not, while its holder is there: who has it is told.
	other.say(`{"do":"wheel","act":"take"}`, `{"room":{"got":false}}`)
	stage.news("class", `{"class":{"presenters":[{"id":"`+me+`","here":true,"driving":true,"wants":false},{"id":"`+them+`","here":true,"driving":false,"wants":true}]}}`)
	stage.say(`{"do":"wheel","act":"give","to":"nobody"}`, refused("input"))
	stage.say(`{"do":"wheel","act":"give","to":"`+them+`"}`, fine)
	f.news("state", `{"state":{"lease":2,"driver":"`+them+`","here":true}}`)
	stage.news("class", `{"class":{"presenters":[{"driving":false},{"driving":true,"wants":false}]}}`)
	// The old lease is over for everybody.
	stage.say(`{"do":"drive","lease":1,"chapter":"02-two"}`, refused("lease"))
	stage.say(`{"do":"drive","lease":2,"chapter":"02-two"}`, refused("lease"))
	other.say(`{"do":"drive","lease":1,"chapter":"02-two"}`, refused("lease"))
	other.drive(2, `"chapter":"02-two"`)
	other.say(`{"do":"wheel","act":"take"}`, `{"room":{"got":true}}`)
	// A holder who is gone may come back for a while.
	other.conn.Close()
	f.news("state", `{"state":{"here":false,"driver":"`+them+`"}}`)
	stage.say(`{"do":"wheel","act":"take"}`, `{"room":{"got":false}}`)
}

// What a page says counts in the order in which it says it, though it waits for no answer.
func TestSaidInOrder(t *testing.T) {
	s := open(t, "", live.Limits{})
	stage := s.begin().stage()
	stage.say(`{"do":"wheel","act":"take"}`, fine)
	var ids []string
	for block := range 200 {
		ids = append(ids, stage.send(fmt.Sprintf(`{"type":"room","room":{"do":"drive","lease":1,"at":{"block":%d},"chapter":"01-one"}}`, block)))
	}
	last := 0.0
	for block, id := range ids {
		m, text := stage.answer(id)
		said, _ := m["room"].(map[string]any)
		seq, _ := said["seq"].(float64)
		if seq <= last {
			t.Fatalf("block %d came as number %g, after the one that came as %g: %s", block, seq, last, text)
		}
		last = seq
	}
}

func TestWheelOfWhoDoesNotComeBack(t *testing.T) {
	s := open(t, "", live.Limits{Grace: time.Nanosecond})
	l := s.begin()
	stage := l.stage()
	other, f := l.enter(live.AsStage, l.invited(stage), "other"), l.follower("a")
	stage.conn.Close()
	f.news("state", `{"state":{"here":false}}`)
	other.say(`{"do":"wheel","act":"take"}`, `{"room":{"got":true}}`)
	f.news("state", `{"state":{"here":true,"lease":2,"driver":"`+other.you["presenter"].(string)+`"}}`)
}

// Who asked for the wheel of somebody who then goes gets it once it is free, and not
// before: who comes back in time has it still.
func TestWheelIsInherited(t *testing.T) {
	s := open(t, "", live.Limits{Grace: 50 * time.Millisecond})
	l := s.begin()
	stage := l.stage()
	other, f := l.enter(live.AsStage, l.invited(stage), "other"), l.follower("a")
	other.say(`{"do":"wheel","act":"take"}`, `{"room":{"got":false}}`)
	stage.conn.Close()
	f.news("state", `{"state":{"lease":2,"driver":"`+other.you["presenter"].(string)+`"}}`)

	// The other way round: asked for when they are gone already.
	back := l.stage()
	other.conn.Close()
	f.news("state", `{"state":{"here":false}}`)
	back.say(`{"do":"wheel","act":"take"}`, `{"room":{}}`) // got, or inherited
	f.news("state", `{"state":{"lease":3,"here":true,"driver":"`+back.you["presenter"].(string)+`"}}`)
}

// Links hold once, for a while, and few at a time.
func TestLinks(t *testing.T) {
	s := open(t, "", live.Limits{})
	room, secret, err := s.rooms.New("01-one")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.rooms.Redeem(secret + "x"); err == nil {
		t.Error("a link that was made up was taken")
	}
	_, token, err := s.rooms.Redeem(secret)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.rooms.Redeem(secret); err == nil {
		t.Error("a link was taken twice")
	}
	for what, want := range map[string]live.Link{secret: live.LinkUsed, secret + "x": live.LinkUnknown, token: live.LinkUnknown, room.Invite(): live.LinkHolds} {
		if of, link := s.rooms.Look(what); link != want || (of == room) != (want != live.LinkUnknown) {
			t.Errorf("a link looks like %d, want %d", link, want)
		}
	}
	if _, ok := room.Presenter(secret); ok {
		t.Error("a link's secret is no cookie")
	}
	if _, ok := room.Presenter(token); !ok {
		t.Error("the cookie is not known")
	}
	first := room.Invite()
	for range 8 {
		room.Invite()
	}
	if _, _, err := s.rooms.Redeem(first); err == nil {
		t.Error("the ninth link left the first in force")
	}
	if log := s.log.String(); !strings.Contains(log, "link was refused") || strings.Contains(log, secret) || strings.Contains(log, first) || strings.Contains(log, token) {
		t.Errorf("the log is\n%s", log)
	}
	// Presenters beyond the bound take the place of those who are not there, and never
	// of who drives.
	for range 20 {
		if _, _, err := s.rooms.Redeem(room.Invite()); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := room.Presenter(token); !ok {
		t.Error("who has the wheel is a presenter no more")
	}

	s = open(t, "", live.Limits{Invite: time.Nanosecond})
	if _, secret, err = s.rooms.New("01-one"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.rooms.Redeem(secret); err == nil {
		t.Error("a link was taken after its time")
	}
	if _, link := s.rooms.Look(secret); link != live.LinkOver {
		t.Errorf("a link whose time is over looks like %d", link)
	}
}

// However many come at once, so many get in and no more, and a seat of somebody who
// goes is free again.
func TestFull(t *testing.T) {
	s := open(t, "", live.Limits{Followers: 5, Presents: 2, Rooms: 2})
	l := s.begin()
	type came struct {
		p   *page
		err error
	}
	all := make(chan came)
	for i := range 40 {
		go func() {
			p, err := l.dial(live.AsFollow, "", fmt.Sprint(i))
			all <- came{p, err}
		}()
	}
	var in []*page
	for range 40 {
		switch c := <-all; {
		case c.err == nil:
			in = append(in, c.p)
		case !strings.Contains(c.err.Error(), "status 503"):
			t.Error(c.err)
		}
	}
	if len(in) != 5 {
		t.Fatalf("%d of 40 got in, and the room has 5 seats", len(in))
	}
	stage := l.stage() // for presenters there is place still
	l.enter(live.AsDesk, l.token, "desk")
	if _, err := l.dial(live.AsStage, l.token, "third"); err == nil {
		t.Error("a third page of a presenter got in")
	}
	stage.news("class", `{"class":{"following":5}}`)
	in[0].conn.Close()
	stage.news("class", `{"class":{"following":4}}`)
	in[0] = l.follower("next")
	stage.drive(1, `"chapter":"02-two"`)
	for _, p := range in {
		p.news("state", `{"state":{"chapter":"02-two"}}`)
	}
	// What asks for a seat and is no WebSocket takes none.
	in[0].conn.Close()
	stage.news("class", `{"class":{"following":4}}`)
	for range 5 {
		response, err := s.server.Client().Get(s.server.URL + "/?as=follow&room=" + l.room.Code())
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	l.follower("next")

	s.begin()
	if _, _, err := s.rooms.New("01-one"); err != live.ErrTooMany {
		t.Errorf("a third room: %v", err)
	}
	if _, _, err := s.rooms.New("03-none"); err == nil {
		t.Error("a room was opened at no chapter")
	}
}
