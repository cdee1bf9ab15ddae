package socket

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/experiment"
	"workbench/engine/ladder"
	"workbench/engine/launch"
	"workbench/engine/trace"
	"workbench/web/chart"
	"workbench/web/run"
)

// Version of the protocol. A message of another one is refused.
const Version = 1

// Kinds of messages that a page sends. Each has an ID of the page's choosing,
// which the answer carries. Every request gets one answer in the end, cancel
// none of its own.
const (
	Run     = "run"     // Example on Device with Input → trace
	Explain = "explain" // Cell of Step of the run named Run → cell
	Compare = "compare" // Example, the decoder if it names none, with Input on two Devices → report
	Launch  = "launch"  // the Kernel on Device, with blocks to Record → outcome
	Moment  = "moment"  // of the recording of Block in Run: at Step, or where Goal leads from there → moment
	Touched = "touched" // of the recording of Block in Run, from Step to To → touched
	Values  = "values"  // of Output in Run, the elements after From → values
	Ladder  = "ladder"  // the versions of the product on Device, in Precision and of Size → ladder
	Cancel  = "cancel"  // the request of that ID, which is answered with an error
	Devices = "devices" // → devices, after another look at the machine
	Room    = "room"    // what Room says, to the room that the page is in → room
)

// Kinds of messages that the workbench sends.
const (
	Hello    = "hello"    // first: Build, Devices, and whether Reload messages will come
	Progress = "progress" // Note, and perhaps Done of Total, of the request ID
	Trace    = "trace"    // of the request ID; Run names it for explain
	Cell     = "cell"     // with its Chart, unless there is nothing to draw
	Report   = "report"
	Outcome  = "outcome" // of the request ID; Run names it for moment, touched and values
	Error    = "error"   // Code, Message, and perhaps Field, Next and Detail
	Reload   = "reload"  // Chapter has changed on disk
	// Exercises says which Versions there are now of what pages show of them: the
	// first follows the greeting, where there are exercises.
	Exercises = "exercises"
	// Ladder, of the request ID
	// and Devices, also without an ID: the list has changed
	// and Room, also without an ID: news of the room
)

// Request is a message from a page.
type Request struct {
	V    int    `json:"v"`
	Type string `json:"type"`
	ID   string `json:"id"`

	Example string          `json:"example"` // of run: "product", "reduction", "view", "decoder", "boundary"; and of compare
	Device  string          `json:"device"`  // of run
	Devices []string        `json:"devices"` // of compare: reference and candidate
	Input   json.RawMessage `json:"input"`   // of run and compare

	Run     string `json:"run"`     // of explain: a trace's Run, or "page:" and a widget's name; of moment, touched and values likewise
	Chapter string `json:"chapter"` // the chapter of a widget that Run names
	Step    *int   `json:"step"`    // of explain, moment and touched
	Cell    []int  `json:"cell"`    // of explain: batch, row, column; or 0, group, 0

	Kernel *experiment.Input `json:"kernel"` // of launch
	Record []launch.Index    `json:"record"` // of launch: blocks, each [x, y, z]
	Which  int               `json:"which"`  // of a widget that Run names: which of its kernels
	Block  int               `json:"block"`  // of moment and touched: its place in Record
	View   launch.View       `json:"view"`   // of moment
	Goal   *launch.Goal      `json:"goal"`   // of moment
	To     int               `json:"to"`     // of touched: the step behind the last
	Output string            `json:"output"` // of values: a buffer's name
	From   int               `json:"from"`   // of values

	Precision string `json:"precision"` // of ladder
	Size      int    `json:"size"`      // of ladder: rows and columns of each matrix

	// In a room, what is asked for a second time is answered as it was the first;
	// Fresh, which a presenter may say, has it computed again.
	Fresh bool            `json:"fresh"`
	Room  json.RawMessage `json:"room"` // of room

	// In a replay, the moment of the lesson that the page shows, in milliseconds since
	// it began: what was run twice is answered as it was then.
	At int64 `json:"at"`
}

// Message is a message to a page.
type Message struct {
	V    int    `json:"v"`
	Type string `json:"type"`
	ID   string `json:"id,omitempty"` // of the request that is answered

	Build   string        `json:"build,omitempty"`
	Devices []device.Info `json:"devices,omitempty"`
	Reload  *bool         `json:"reload,omitempty"`

	Note  string `json:"note,omitempty"`
	Done  int    `json:"done,omitempty"`
	Total int    `json:"total,omitempty"`

	Run     string          `json:"run,omitempty"`
	Trace   *trace.Trace    `json:"trace,omitempty"`
	Step    *int            `json:"step,omitempty"`
	Cell    *trace.Cell     `json:"cell,omitempty"`
	Chart   chart.Option    `json:"chart,omitempty"`
	Report  *compare.Report `json:"report,omitempty"`
	Elapsed *float64        `json:"elapsed_ms,omitempty"`

	Outcome   *experiment.Outcome `json:"outcome,omitempty"`
	Rooflines []chart.Roofline    `json:"rooflines,omitempty"` // of outcome: each of its launches on each GPU that was measured
	Moment    *launch.Moment      `json:"moment,omitempty"`
	Found     *bool               `json:"found,omitempty"` // of moment: Goal leads somewhere; if not, Moment is at Step
	Touched   *launch.Touched     `json:"touched,omitempty"`
	Values    *experiment.Output  `json:"values,omitempty"`

	Ladder *ladder.Ladder `json:"ladder,omitempty"`

	Code    run.Code    `json:"code,omitempty"`
	Field   string      `json:"field,omitempty"`
	Message string      `json:"message,omitempty"`
	Next    string      `json:"next,omitempty"`
	Detail  *run.Detail `json:"detail,omitempty"`

	Chapter string `json:"chapter,omitempty"` // of reload

	Versions map[string]string `json:"versions,omitempty"` // of exercises: by the number of a chapter, and of all by ""

	Room any `json:"room,omitempty"`
}

// encode writes a message. Everything in it is data that marshals; if not, the
// page is told of a mistake of ours.
func encode(m Message) ([]byte, error) {
	m.V = Version
	return json.Marshal(m)
}

func failure(id string, f *run.Failure) Message {
	return Message{Type: Error, ID: id, Code: f.Code, Field: f.Field, Message: f.Message, Next: f.Next, Detail: f.Detail}
}

func protocolFailure(format string, args ...any) *run.Failure {
	return &run.Failure{Code: run.CodeProtocol, Message: fmt.Sprintf(format, args...), Next: "Reload the page."}
}

// maxID bounds a request's ID, in bytes.
const maxID = 64

// decode reads one message and checks what its kind needs. The request it
// returns with a failure has the ID, if that could be read.
func decode(text []byte) (Request, *run.Failure) {
	var q Request
	if !utf8.Valid(text) {
		return Request{}, protocolFailure("A message has bytes that are not UTF-8.")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&q); err != nil {
		// The kind of a message may be new and its ID still readable.
		var named struct{ ID string }
		if json.Unmarshal(text, &named) != nil || !validID(named.ID) {
			named.ID = ""
		}
		return Request{ID: named.ID}, protocolFailure("A message cannot be read: %s.", plain(err))
	}
	if !validID(q.ID) {
		return Request{}, protocolFailure("A message needs an id: up to %d printable characters.", maxID)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return q, protocolFailure("A message has more after its closing brace.")
	}
	if q.V != Version {
		return q, protocolFailure("The page speaks version %d of the protocol, and this workbench version %d.", q.V, Version)
	}
	if loneSurrogate(text) {
		return q, &run.Failure{Code: run.CodeInput, Field: "text", Message: "has half of a character (an unpaired surrogate): type it again"}
	}
	return q, q.check()
}

// check holds a request against its kind.
func (q Request) check() *run.Failure {
	need := func(ok bool, field, what string) *run.Failure {
		if ok {
			return nil
		}
		f := protocolFailure("A %s request needs %s: %s.", q.Type, field, what)
		f.Field = field
		return f
	}
	switch q.Type {
	case Run:
		if f := need(q.Example != "", "example", "the name of one"); f != nil {
			return f
		}
		return need(q.Device != "", "device", "the name of one")
	case Explain:
		if f := need(q.Run != "", "run", "the name of a run"); f != nil {
			return f
		}
		if f := need(q.Step != nil && *q.Step >= 0, "step", "a number from 0"); f != nil {
			return f
		}
		return need(len(q.Cell) == 3 && q.Cell[0] >= 0 && q.Cell[1] >= 0 && q.Cell[2] >= 0, "cell", "three numbers from 0")
	case Compare:
		return need(len(q.Devices) == 2 && q.Devices[0] != "" && q.Devices[1] != "", "devices", "the names of two")
	case Launch:
		if f := need(q.Device != "", "device", "the name of one"); f != nil {
			return f
		}
		return need(q.Kernel != nil, "kernel", "its source and its launch")
	case Moment, Touched:
		if f := need(q.Run != "", "run", "the name of a run"); f != nil {
			return f
		}
		return need(q.Step != nil && *q.Step >= 0, "step", "a number from 0")
	case Values:
		if f := need(q.Run != "", "run", "the name of a run"); f != nil {
			return f
		}
		return need(q.Output != "", "output", "the name of a buffer")
	case Ladder:
		if f := need(q.Device != "", "device", "the name of one"); f != nil {
			return f
		}
		if f := need(q.Precision != "", "precision", "the name of one"); f != nil {
			return f
		}
		return need(q.Size > 0, "size", "a number from 1")
	case Room:
		return need(len(q.Room) > 0, "room", "what is said")
	case Cancel, Devices:
		return nil
	}
	return protocolFailure("A message of the type %q is unknown here.", clip(q.Type))
}

// plain says what is wrong with JSON without the names of Go's types.
func plain(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		value, _, _ := strings.Cut(kind.Value, " ") // of a number, its digits too
		article := "a "
		if strings.ContainsAny(value[:1], "aeiou") {
			article = "an "
		}
		if kind.Field == "" {
			return "it is " + article + value + ", and messages are objects"
		}
		return fmt.Sprintf("%s has %s%s", clip(kind.Field), article, value)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return clip(strings.TrimPrefix(err.Error(), "json: "))
}

// clip shortens what a page sent before it is sent back.
func clip(s string) string { return run.Clip(s, 80) }

func validID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for _, r := range id {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return false
		}
	}
	return true
}

// idIn returns the ID of a message of which only the beginning was read, or "": pages
// write it before what may be long.
func idIn(beginning []byte) string {
	d := json.NewDecoder(bytes.NewReader(beginning))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return ""
		}
		value, err := d.Token()
		if _, deep := value.(json.Delim); err != nil || deep {
			return ""
		}
		if id, ok := value.(string); ok && key == "id" && validID(id) {
			return id
		}
	}
	return ""
}

// loneSurrogate reports whether JSON text has half of a surrogate pair in it:
// \ud800 with no \udc00 after it. A page's strings can hold one. Decoding would
// put another character in its place without a word.
func loneSurrogate(text []byte) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		unit, ok := escaped(text[i:])
		switch {
		case !ok:
			i++ // the escaped character, perhaps a backslash
		case unit >= 0xdc00 && unit < 0xe000:
			return true
		case unit >= 0xd800 && unit < 0xdc00:
			low, ok := escaped(text[i+6:])
			if !ok || low < 0xdc00 || low >= 0xe000 {
				return true
			}
			i += 11
		default:
			i += 5
		}
	}
	return false
}

// escaped reads \uXXXX at the start of text.
func escaped(text []byte) (unit rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:6] {
		unit <<= 4
		switch {
		case c >= '0' && c <= '9':
			unit += rune(c - '0')
		case c >= 'a' && c <= 'f':
			unit += rune(c-'a') + 10
		case c >= 'A' && c <= 'F':
			unit += rune(c-'A') + 10
		default:
			return 0, false
		}
	}
	return unit, true
}
