package live_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"workbench/web/live"
)

func TestQuestions(t *testing.T) {
	s := open(t, "", live.Limits{Ask: time.Nanosecond})
	l := s.begin()
	stage, f := l.stage(), l.follower("a")
	f.say(`{"do":"question","text":"  Why\n\t is\u0007 C\u202e[0,1]\u2066 64?  "}`, fine)
	stage.news("class", `{"class":{"questions":[{"n":1,"text":"Why is C [0,1] 64?"}]}}`)
	for _, text := range []string{"", ` \n `, `\u202e\u0000`, strings.Repeat("é", 281)} {
		f.say(`{"do":"question","text":"`+text+`"}`, `{"type":"error","code":"input","field":"text"}`)
	}
	f.say(`{"do":"question","text":"`+strings.Repeat("é", 280)+`"}`, fine)
	stage.news("class", `{"class":{"questions":[{"n":2},{"n":1}]}}`)
	f.say(`{"do":"done","n":1}`, refused("forbidden"))
	stage.say(`{"do":"done","n":1}`, fine)
	stage.say(`{"do":"done","n":1}`, refused("input"))
	stage.news("class", `{"class":{"questions":[{"n":2}]}}`)
	// Who asked is not known to anybody.
	for _, n := range stage.heard("class") {
		for _, q := range n["class"].(map[string]any)["questions"].([]any) {
			if len(q.(map[string]any)) != 3 {
				t.Errorf("a question has more than its number, its text and when it was asked: %v", q)
			}
		}
	}
	// More than a presenter can look at make place for the latest.
	for i := range 120 {
		if i%30 == 0 {
			f = l.follower("a") // one page says no more than some things a second
		}
		f.say(fmt.Sprintf(`{"do":"question","text":"Question %d"}`, i), fine)
	}
	desk := l.enter(live.AsDesk, l.token, "desk")
	questions := desk.all["class"].(map[string]any)["questions"].([]any)
	if len(questions) != 100 || !has(questions[0], decode(`{"n":122,"text":"Question 119"}`)) {
		t.Errorf("%d questions are kept, the first %v", len(questions), questions[0])
	}
}

// One asks seldom, and all together not without end, though everybody who comes again
// is somebody else.
func TestQuestionsAreBounded(t *testing.T) {
	s := open(t, "", live.Limits{Ask: time.Hour})
	l := s.begin()
	const why = `{"do":"question","text":"Why?"}`
	l.follower("a").say(why, fine)
	l.follower("a").say(why, refused("busy")) // another page of the same browser
	taken := 1
	for i := range 40 {
		f := l.follower(fmt.Sprint(i))
		if has(decode(f.say(why, `{}`)), decode(fine)) {
			taken++
		}
		f.conn.Close()
	}
	if taken != 20 {
		t.Errorf("%d questions were taken at once, want 20", taken)
	}
}

func TestPasses(t *testing.T) {
	s := open(t, "", live.Limits{})
	l := s.begin()
	stage := l.stage()
	for _, who := range []string{"a", "b", "a"} {
		if err := l.room.Pass(who, "guard"); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.room.Pass("a", "stride"); err != nil {
		t.Fatal(err)
	}
	stage.news("class", `{"class":{"passes":[{"exercise":"guard","title":"Guard the edge","count":2},{"exercise":"stride","count":1}]}}`)
	if err := l.room.Pass("a", "none"); err == nil {
		t.Error("a pass of no exercise was taken")
	}
}

func TestPolls(t *testing.T) {
	s := open(t, "", live.Limits{})
	l := s.begin()
	stage, a, b, c := l.stage(), l.follower("a"), l.follower("b"), l.follower("c")
	stage.say(`{"do":"poll","act":"close"}`, refused("input"))
	stage.say(`{"do":"poll","act":"open","question":"What is C[0,1]?","kind":"number","answer":"64","about":{"chapter":"02-two","widget":"tiles","step":3,"cell":"0,1"}}`, fine)
	a.news("poll", `{"poll":{"n":1,"question":"What is C[0,1]?","kind":"number","state":"open","total":0,"about":{"widget":"tiles","step":3}}}`)
	for p, text := range map[*page]string{a: "64", b: " 6.4e1 ", c: "+64.00"} {
		p.say(`{"do":"answer","poll":1,"text":"`+text+`"}`, fine)
	}
	stage.news("poll", `{"poll":{"total":3,"counts":[{"text":"64","count":3,"right":true}],"answer":"64"}}`)
	// Another page of the same browser answers in its place; the last counts.
	l.follower("c").say(`{"do":"answer","poll":1,"text":"−0.5"}`, fine)
	stage.news("poll", `{"poll":{"total":3,"counts":[{"text":"64","count":2},{"text":"-0.5","count":1,"right":false}]}}`)
	for _, text := range []string{"", "many", "NaN%", "1 2 3 x"} {
		a.say(`{"do":"answer","poll":1,"text":"`+text+`"}`, `{"type":"error","code":"input","field":"text"}`)
	}
	a.say(`{"do":"answer","poll":2,"text":"64"}`, refused("ended"))
	if late := l.follower("a"); late.you["answer"] != "64" || has(late.all, decode(`{"poll":{"answer":"64"}}`)) {
		t.Errorf("who comes back is told %v", late.all)
	}
	stage.say(`{"do":"poll","act":"close"}`, fine)
	a.news("poll", `{"poll":{"state":"closed","total":3}}`)
	a.say(`{"do":"answer","poll":1,"text":"65"}`, refused("ended"))
	// Until here no follower was told what others answered.
	for _, p := range []*page{a, b, c} {
		for _, n := range p.heard("poll") {
			if poll := n["poll"].(map[string]any); poll["counts"] != nil || poll["answer"] != nil || poll["chart"] != nil {
				t.Errorf("a follower was told %v", poll)
			}
		}
	}
	stage.say(`{"do":"poll","act":"reveal"}`, fine)
	shown := a.news("poll", `{"poll":{"state":"revealed","answer":"64","counts":[{"text":"64","count":2,"right":true},{"text":"-0.5","count":1}]}}`)
	if chart := fmt.Sprint(shown["poll"].(map[string]any)["chart"]); !strings.Contains(chart, "✓ 64") {
		t.Errorf("the chart is %s", chart)
	}
	stage.say(`{"do":"poll","act":"clear"}`, fine)
	if n := a.news("poll", `{}`); n["poll"] != nil {
		t.Errorf("the poll is over, and the news is %v", n)
	}
	// The next has another number: an answer to the one before is none to it.
	stage.say(`{"do":"poll","act":"open","question":"Which?","kind":"choice","choices":["rows","columns"],"answer":"rows"}`, fine)
	a.news("poll", `{"poll":{"n":2,"choices":["rows","columns"]}}`)
	a.say(`{"do":"answer","poll":2,"text":"rows"}`, fine)
	a.say(`{"do":"answer","poll":2,"text":"tiles"}`, refused("input"))
	stage.news("poll", `{"poll":{"total":1,"counts":[{"text":"rows","count":1,"right":true},{"text":"columns","count":0,"right":false}]}}`)
}

func TestPollsThatAreNone(t *testing.T) {
	s := open(t, "", live.Limits{})
	stage := s.begin().stage()
	for said, field := range map[string]string{
		`"question":"","kind":"text"`:                                                      "question",
		`"question":"` + strings.Repeat("x", 201) + `","kind":"text"`:                      "question",
		`"question":"?","kind":"essay"`:                                                    "kind",
		`"question":"?","kind":"choice","choices":["a"]`:                                   "choices",
		`"question":"?","kind":"choice","choices":["a"," a"]`:                              "choices[1]",
		`"question":"?","kind":"choice","choices":["a","` + strings.Repeat("x", 81) + `"]`: "choices[1]",
		`"question":"?","kind":"choice","choices":["1","2","3","4","5","6","7","8","9"]`:   "choices",
		`"question":"?","kind":"choice","choices":["a","b"],"answer":"c"`:                  "answer",
		`"question":"?","kind":"number","answer":"x"`:                                      "answer",
		`"question":"?","kind":"text","choices":["a","b"]`:                                 "choices",
		`"question":"?","kind":"text","about":{"cell":"` + strings.Repeat("x", 300) + `"}`: "about",
	} {
		stage.say(`{"do":"poll","act":"open",`+said+`}`, fmt.Sprintf(`{"type":"error","code":"input","field":%q}`, field))
	}
}
