package live

import (
	"encoding/json"

	"workbench/web/chart"
	"workbench/web/socket"
)

// News is what a room says to its pages. Epoch grows whenever the server starts
// anew, Seq with every piece of news of an epoch; of the news about one thing only
// the latest counts.
type News struct {
	Kind  string `json:"kind"`
	Epoch int    `json:"epoch"`
	Seq   int    `json:"seq"`

	You     *You         `json:"you,omitempty"`     // of all
	State   *State       `json:"state,omitempty"`   // of all and state
	Widgets []WidgetView `json:"widgets,omitempty"` // of all
	Widget  *WidgetView  `json:"widget,omitempty"`  // of widget
	Pointer *Pointer     `json:"pointer,omitempty"` // of all and pointer; none if it points nowhere
	Poll    *PollView    `json:"poll,omitempty"`    // of all and poll; none if there is none
	Class   *ClassView   `json:"class,omitempty"`   // of all, to presenters, and class
}

// Kinds of news.
const (
	newsAll     = "all"
	newsState   = "state"
	newsWidget  = "widget"
	newsPointer = "pointer"
	newsPoll    = "poll"
	newsClass   = "class"
)

// You is what a page is in its room.
type You struct {
	Page      string `json:"page"`      // what is from it has this name
	As        Role   `json:"as"`        //
	Presenter string `json:"presenter"` // "" of a follower
	Answer    string `json:"answer"`    // that was given in the poll, or ""
}

// State is what all pages of a room have in common.
type State struct {
	Mode    Mode   `json:"mode"`
	Chapter string `json:"chapter"`
	At      At     `json:"at"`
	Lease   int    `json:"lease"`  // grows when the wheel changes hands
	Driver  string `json:"driver"` // the presenter who has the wheel
	Here    bool   `json:"here"`   // one of their pages is connected
	Recall  int    `json:"recall"` // grows when those who wander are called back
	Ended   bool   `json:"ended"`
	Found   int    `json:"found"`  // grows when those who said that they are lost count as lost no more
	Polls   int    `json:"polls"`  // that were opened
	Lesson  string `json:"lesson"` // where the lesson can be downloaded by followers, or ""
}

// Mode is what the class may do.
type Mode string

// Modes.
const (
	Follow Mode = "follow" // pages follow; who changes something wanders, and comes back with a key
	Free   Mode = "free"   // everybody works on their own
	Locked Mode = "locked" // pages follow and nothing else
)

// At is what is in front: a widget, or a block of the text. It is neither at the
// beginning of a chapter.
type At struct {
	Widget string `json:"widget,omitempty"`
	Block  *int   `json:"block,omitempty"` // among those of the chapter's text
}

// WidgetView is how a widget looks.
type WidgetView struct {
	Chapter string `json:"chapter"`
	Widget  string `json:"widget"`
	View    View   `json:"view"`
	From    string `json:"from"` // page
}

// View is what a page needs to show a widget as another page does.
type View struct {
	Place   Place             `json:"place"`
	Texts   map[string]string `json:"texts"` // as edited; nil for the chapter's own
	Ran     *Ran              `json:"ran"`   // what the results are of, nil for what came with the page
	Running bool              `json:"running"`
	Last    int               `json:"last"` // step
}

// Place is where in a widget one is, as addresses have it.
type Place struct {
	Step   *int   `json:"step,omitempty"`
	Cell   string `json:"cell,omitempty"`
	Device string `json:"device,omitempty"`
	Block  string `json:"block,omitempty"`
	Thread string `json:"thread,omitempty"`
	Phase  string `json:"phase,omitempty"`
	View   string `json:"view,omitempty"`
}

// Ran is a run of a widget.
type Ran struct {
	N int `json:"n"` // grows with every run
	RanWith
	// Before is there of a run that failed: the RanWith of the run whose results are
	// still shown, or null for those that came with the page.
	Before json.RawMessage `json:"before,omitempty"`
}

// RanWith is what a widget was run with.
type RanWith struct {
	Texts  map[string]string `json:"texts"`
	Device string            `json:"device"`
}

// Pointer is what a presenter points at: an element of a widget, or of a block of
// the text, by its place among its siblings on the way down, and where in it.
type Pointer struct {
	Chapter string  `json:"chapter"`
	Widget  string  `json:"widget,omitempty"`
	Block   *int    `json:"block,omitempty"`
	Path    []int   `json:"path"`
	X       float64 `json:"x"` // 0 is its left edge, 1 its right
	Y       float64 `json:"y"`
	From    string  `json:"from"`
}

// PollView is a poll as a page may see it.
type PollView struct {
	N        int          `json:"n"`
	Question string       `json:"question"`
	Kind     PollKind     `json:"kind"`
	Choices  []string     `json:"choices,omitempty"`
	State    PollState    `json:"state"`
	Total    int          `json:"total"`            // answers
	Counts   []Count      `json:"counts,omitempty"` // of followers once revealed
	Answer   string       `json:"answer,omitempty"` // likewise
	Chart    chart.Option `json:"chart,omitempty"`  // likewise
	About    *About       `json:"about,omitempty"`
}

// Count is how often an answer was given.
type Count struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
	Right bool   `json:"right"`
}

// ClassView is what presenters see of the class.
type ClassView struct {
	Following  int             `json:"following"`
	Free       int             `json:"free"`
	Lost       int             `json:"lost"`
	Questions  []Question      `json:"questions"` // newest first
	Passes     []Passed        `json:"passes"`
	Presenters []PresenterView `json:"presenters"`
}

// Question is one that somebody asked.
type Question struct {
	N    int    `json:"n"`
	Text string `json:"text"`
	At   int64  `json:"at"` // milliseconds since 1970
}

// Passed is how many of the room passed an exercise.
type Passed struct {
	Exercise string `json:"exercise"`
	Title    string `json:"title"`
	Count    int    `json:"count"`
}

// PresenterView is a presenter as another sees them.
type PresenterView struct {
	ID      string `json:"id"`
	Here    bool   `json:"here"`
	Driving bool   `json:"driving"`
	Wants   bool   `json:"wants"` // the wheel
}

// encode writes news as a message.
func (n News) encode() []byte {
	text, err := socket.News(socket.Room, n)
	if err != nil {
		panic("BUG: news is always JSON: " + err.Error())
	}
	return text
}
