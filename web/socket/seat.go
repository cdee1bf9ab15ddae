package socket

import (
	"context"
	"encoding/json"
	"net/http"

	"workbench/web/run"
)

// A Seat is where a page sits that is not on its own: in a room, say. It decides
// what the page may ask for, and who answers.
type Seat interface {
	// Table has the runs that the page can ask about.
	Table() *Table
	// Limits bound the page. Zero fields take the hub's.
	Limits() Limits
	// Sit is called once, after the greeting is queued and before any request. The
	// page may be told things until Rise, which is called once in any case: also of a
	// page that never came to sit, since its connection could not be made.
	Sit(p *Page)
	Rise(p *Page)
	// Answer answers a request: by computing it or another, or by an answer that
	// was given before. An error is told to the page as a failure.
	Answer(ctx context.Context, p *Page, q Request, compute Compute) (Answer, error)
}

// Compute computes the answer to a request, a failure's included, without an ID.
// Its error says that an answer was not written.
type Compute func(ctx context.Context, q Request) (Answer, *run.Failure)

// An Answer is a message without an ID. It is written once, for however many pages.
type Answer struct {
	Run  string // that a trace or an outcome is named by
	text []byte
}

// answerHead begins every answer that is kept.
const answerHead = `{"v":1,`

// NewAnswer writes a message. Its ID is left out.
func NewAnswer(m Message) (Answer, error) {
	m.ID = ""
	text, err := encode(m)
	return Answer{Run: m.Run, text: text}, err
}

// FailureAnswer writes a failure as an answer.
func FailureAnswer(f *run.Failure) (Answer, error) { return NewAnswer(failure("", f)) }

// UnmarshalJSON takes an answer from JSON that MarshalJSON wrote.
func (a *Answer) UnmarshalJSON(text []byte) error {
	var m struct {
		V   int
		Run string
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	if m.V != Version || len(text) <= len(answerHead) || string(text[:len(answerHead)]) != answerHead {
		return protocolFailure("An answer is not of version %d of the protocol.", Version)
	}
	a.Run, a.text = m.Run, append([]byte(nil), text...)
	return nil
}

// MarshalJSON returns the message.
func (a Answer) MarshalJSON() ([]byte, error) { return a.text, nil }

// Text returns the message, which nobody may change.
func (a Answer) Text() []byte { return a.text }

// Size returns the bytes of the answer.
func (a Answer) Size() int { return len(a.text) }

// letter addresses an answer to a request.
func (a Answer) letter(id string) letter {
	quoted, err := json.Marshal(id)
	if err != nil {
		panic("BUG: a string is always JSON: " + err.Error())
	}
	return letter{head: []byte(answerHead + `"id":` + string(quoted) + ","), text: a.text[len(answerHead):]}
}

// A Page is a connection as its seat knows it.
type Page struct{ conn *conn }

// Tell queues news, and waits for nobody. Of news with one key only the latest
// waits to be sent.
func (p *Page) Tell(key string, text []byte) { p.conn.out.tell(key, text) }

// TellBoth is Tell for news in two parts, of which pages may share the second.
func (p *Page) TellBoth(key string, head, text []byte) { p.conn.out.tellBoth(key, head, text) }

// Close ends the connection, and says why.
func (p *Page) Close(reason string) { p.conn.dismiss(reason) }

// ServeSeat is ServeHTTP for a page that sits somewhere. How many may, is the
// seat's business.
func (h *Hub) ServeSeat(w http.ResponseWriter, r *http.Request, s Seat) error {
	return h.serve(w, r, s)
}

// News writes a message without an ID.
func News(kind string, room any) ([]byte, error) {
	return encode(Message{Type: kind, Room: room})
}
