package live_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"workbench/engine/experiment"
	"workbench/web/live"
)

const tilesAt3 = `{"place":{"step":3,"cell":"0,1","device":"emulator"},"texts":{"kernel":"int i;"},"ran":{"n":2,"texts":null,"device":"emulator"},"running":false,"last":9}`

// Who comes late is told all that those who were there were told bit by bit.
func TestLateJoiners(t *testing.T) {
	s := open(t, "", live.Limits{})
	l := s.begin()
	stage, early := l.stage(), l.follower("early")
	if !has(stage.all, decode(`{"epoch":1,"you":{"as":"stage"},"state":{"mode":"follow","chapter":"01-one","lease":1,"ended":false},"class":{"lost":0}}`)) {
		t.Errorf("the presenter's page is told %v", stage.all)
	}
	if early.all["class"] != nil || early.you["presenter"] != "" || early.you["page"] == stage.you["page"] {
		t.Errorf("a follower's page is told %v", early.all)
	}
	stage.drive(1, `"widget":"add","view":{"last":1}`) // of the chapter where the lesson is
	stage.drive(1, `"chapter":"02-two","at":{"widget":"tiles"},"widget":"tiles","view":`+tilesAt3+`,"pointer":{"widget":"tiles","path":[0,2],"x":0.25,"y":1}`)
	from := fmt.Sprintf(`"from":%q`, stage.you["page"])
	widget := `{"chapter":"02-two","widget":"tiles","view":` + tilesAt3 + `,` + from + `}`
	state := `{"mode":"follow","chapter":"02-two","at":{"widget":"tiles"},"here":true,"ended":false}`
	pointer := `{"chapter":"02-two","widget":"tiles","path":[0,2],"x":0.25,"y":1,` + from + `}`
	early.news("widget", `{"widget":{"widget":"add","chapter":"01-one","view":{"last":1}}}`)
	early.news("widget", `{"widget":`+widget+`}`)
	early.news("state", `{"state":`+state+`}`)
	early.news("pointer", `{"pointer":`+pointer+`}`)
	late := l.follower("late")
	if want := `{"state":` + state + `,"pointer":` + pointer + `,"widgets":[{"widget":"add"},` + widget + `]}`; !has(late.all, decode(want)) {
		t.Errorf("who came late is told %v\nwant %s", late.all, want)
	}
	stage.drive(1, `"pointer":null`)
	if n := late.news("pointer", `{}`); n["pointer"] != nil {
		t.Errorf("the pointer went away, and the news is %v", n)
	}
	// Sequence numbers grow, whatever the news is about.
	last := 0.0
	for _, n := range early.heard("") {
		if seq := n["seq"].(float64); seq < last {
			t.Errorf("news %v came after that of number %v", n, last)
		} else {
			last = seq
		}
	}
}

// Only the presenter who has the wheel changes what the class sees; a follower changes
// nothing, whatever it says.
func TestAFollowerChangesNothing(t *testing.T) {
	s := open(t, "", live.Limits{})
	l := s.begin()
	stage, f, witness := l.stage(), l.follower("a"), l.follower("witness")
	// The preview of the presenter who has the wheel shows what comes, and brings none of it.
	preview := l.enter(live.AsPreview, l.token, "preview")
	for _, said := range []string{
		`{"do":"drive","lease":1,"chapter":"02-two"}`, `{"do":"drive","lease":1,"widget":"add","view":{"last":1}}`,
		`{"do":"drive","lease":1,"pointer":null}`, `{"do":"wheel","act":"take"}`,
		fmt.Sprintf(`{"do":"wheel","act":"give","to":%q}`, stage.you["presenter"]),
		`{"do":"mode","mode":"free"}`, `{"do":"invite"}`, `{"do":"poll","act":"open","question":"?","kind":"text"}`,
		`{"do":"poll","act":"reveal"}`, `{"do":"done","n":1}`, `{"do":"unlost"}`, `{"do":"end","share":true}`,
	} {
		f.say(said, refused("forbidden"))
		preview.say(said, refused("forbidden"))
	}
	for _, said := range []string{`{}`, `null`, `[]`, `{"do":"dance"}`, `{"do":"lost","lost":"yes"}`, `{"do":"lost","x":1}`} {
		f.say(said, refused("protocol"))
	}
	// A presenter is no follower.
	for _, said := range []string{`{"do":"lost","lost":true}`, `{"do":"question","text":"Why?"}`, `{"do":"wander","free":true}`, `{"do":"answer","poll":1,"text":"x"}`} {
		stage.say(said, refused("forbidden"))
		preview.say(said, refused("forbidden"))
	}
	for _, p := range []*page{stage, f, preview} {
		p.say(`{"do":"here"}`, `{"room":{}}`)
	}
	stage.drive(1, `"at":{"block":4}`)
	witness.news("state", `{"state":{"at":{"block":4}}}`)
	for _, n := range witness.heard("state") {
		if !has(n, decode(`{"state":{"mode":"follow","chapter":"01-one","lease":1}}`)) {
			t.Errorf("the class was told %v", n)
		}
	}
	log := s.log.String()
	if !strings.Contains(log, `"a page said what it may not" room=`+l.room.Code()+" as=follow do=drive") {
		t.Errorf("the log says nothing of it:\n%s", log)
	}
	if n := strings.Count(log, "a page said what it may not"); n != 10 {
		t.Errorf("32 refusals are %d lines in the log, want the first 10", n)
	}
}

// What is driven is checked before anything of it is done.
func TestWhatIsDrivenIsBounded(t *testing.T) {
	s := open(t, "", live.Limits{})
	l := s.begin()
	stage, f := l.stage(), l.follower("a")
	long := strings.Repeat("x", 301)
	for _, bad := range []string{
		`"chapter":"03-none"`, `"chapter":""`,
		`"widget":"tiles","view":{}`, // which is another chapter's
		`"chapter":"02-two","widget":"add","view":{}`,
		`"widget":"add"`, `"view":{}`,
		`"at":{"widget":"none"}`, `"at":{"block":-1}`,
		`"chapter":"02-two","pointer":{"path":[],"x":7,"y":0}`, `"pointer":{"path":[],"x":0,"y":0,"more":1}`, `"pointer":"here"`,
		`"widget":"add","view":{"place":{"step":-1}}`, `"widget":"add","view":{"last":-1}`, `"widget":"add","view":{"place":{"cell":"` + long + `"}}`,
		`"widget":"add","view":{"ran":{"n":-1}}`, `"widget":"add","view":{"ran":{"n":1,"device":"` + long + `"}}`,
		`"widget":"add","view":{"texts":{"a":"","b":"","c":"","d":"","e":"","f":"","g":"","h":"","i":"","j":"","k":"","l":"","m":""}}`,
		`"widget":"add","view":{"texts":{"kernel":"` + strings.Repeat("x", 320<<10) + `"}}`,
		`"widget":"add","view":{"ran":{"n":1,"texts":{},"before":{"texts":{"kernel":"` + strings.Repeat("x", 320<<10) + `"},"device":""}}}`,
	} {
		stage.say(`{"do":"drive","lease":1,`+bad+`}`, refused("input"))
	}
	f.say(`{"do":"lost","lost":true}`, fine)
	if n := len(f.heard("")); n != 1 {
		t.Errorf("what was refused became news: %v", f.heard(""))
	}
}

// A room shows three large sources of one kernel, which is what was edited, run and run
// before, and keeps what is changed within a bound. Beyond it it says so, and goes on.
func TestLargeSources(t *testing.T) {
	s := open(t, "", live.Limits{Views: 3*experiment.MaxSource + 64<<10})
	l := s.begin()
	stage := l.stage()
	// As long as a source may be. A tab is two characters of JSON.
	large := strings.Repeat("\t\t\t\t"+strings.Repeat("x", 28), experiment.MaxSource/32)
	texts := func(of string) string { return `{"source":` + quoted(large[:len(large)-1]+of) + `,"launch":"{}"}` }
	view := `"view":{"texts":` + texts("1") + `,"ran":{"n":2,"texts":` + texts("2") + `,"device":"emulator","before":{"texts":` + texts("3") + `,"device":"emulator"}},"last":3}`
	stage.drive(1, `"widget":"add",`+view)
	stage.say(`{"do":"drive","lease":1,"widget":"by-hand","view":{"texts":{"left":"`+strings.Repeat("x", 64<<10)+`"}}}`, refused("input"))
	f := l.follower("late")
	if shown := f.all["widgets"].([]any); len(shown) != 1 || !has(shown[0], decode(`{`+view+`}`)) {
		t.Errorf("who comes late is told of %d widgets, want the one as it is", len(shown))
	}
	f.ask(`{"type":"launch","device":"emulator","kernel":{"source":`+quoted(large)+`,"launch":{}}}`, refused("follower"))
	// What is reset makes place.
	stage.drive(1, `"widget":"add","view":{"last":3}`)
	stage.drive(1, `"widget":"by-hand",`+view)
	// A drive that is longer than any message is answered all the same.
	stage.ask(`{"type":"room","room":{"do":"drive","lease":1,"widget":"add","view":{"texts":{"a":"`+strings.Repeat("x", 2<<20)+`"}}}}`, refused("too-large"))
}

func quoted(text string) string {
	written, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(written)
}

func TestModesAndWhoWanders(t *testing.T) {
	s := open(t, "", live.Limits{})
	l := s.begin()
	stage, a, b := l.stage(), l.follower("a"), l.follower("b")
	a.say(`{"do":"wander","free":true}`, fine)
	a.say(`{"do":"lost","lost":true}`, fine)
	b.say(`{"do":"lost","lost":true}`, fine)
	stage.news("class", `{"class":{"following":1,"free":1,"lost":2}}`)
	b.say(`{"do":"lost","lost":false}`, fine)
	stage.news("class", `{"class":{"lost":1}}`)
	stage.say(`{"do":"unlost"}`, fine)
	stage.news("class", `{"class":{"lost":0,"free":1}}`)
	stage.say(`{"do":"mode","mode":"free"}`, fine)
	a.news("state", `{"state":{"mode":"free","recall":0}}`)
	// The class is called back, and nobody is counted as wandering any more.
	stage.say(`{"do":"mode","mode":"locked"}`, fine)
	a.news("state", `{"state":{"mode":"locked","recall":1}}`)
	stage.news("class", `{"class":{"following":2,"free":0}}`)
	stage.say(`{"do":"mode","mode":"locked"}`, fine)
	a.news("state", `{"state":{"mode":"locked","recall":1}}`)
	stage.say(`{"do":"mode","mode":"follow"}`, fine)
	a.news("state", `{"state":{"mode":"follow","recall":2}}`)
	stage.say(`{"do":"mode","mode":"loud"}`, refused("input"))
	b.conn.Close()
	stage.news("class", `{"class":{"following":1}}`)
	if a.heard("class") != nil || b.heard("class") != nil {
		t.Error("a follower was told of the class")
	}
}

func TestTheEnd(t *testing.T) {
	s := open(t, t.TempDir(), live.Limits{})
	l := s.begin()
	stage, f := l.stage(), l.follower("a")
	stage.ask(runProduct, `{"type":"trace"}`)
	stage.say(`{"do":"end","share":true}`, fine)
	f.news("state", `{"state":{"ended":true,"mode":"free","lesson":"/rooms/`+l.room.Code()+`/lesson"}}`)
	for p, said := range map[*page]string{stage: `{"do":"drive","lease":1,"chapter":"02-two"}`, f: `{"do":"question","text":"Why?"}`} {
		p.say(said, refused("ended"))
	}
	for _, said := range []string{`{"do":"wheel","act":"take"}`, `{"do":"invite"}`, `{"do":"mode","mode":"locked"}`} {
		stage.say(said, refused("ended"))
	}
	if err := l.room.Pass("somebody", "guard"); err == nil {
		t.Error("a pass was taken after the end")
	}
	// What was shown can be looked at, and whether it is shared be changed.
	f.ask(runProduct, `{"type":"trace"}`)
	stage.say(`{"do":"end","share":false}`, fine)
	f.news("state", `{"state":{"ended":true,"lesson":""}}`)
	s.close()
	if open(t, s.dir, live.Limits{}).rooms.Room(l.room.Code()) != nil {
		t.Error("a lesson that has ended goes on")
	}
}
