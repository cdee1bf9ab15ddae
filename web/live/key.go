package live

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"workbench/engine/experiment"
	"workbench/engine/launch"
	"workbench/web/socket"
)

// A question is a request without what does not belong to what it asks for. Keys are
// made of its JSON, and lessons hold keys: so a field that is zero is left out, and a
// request that grows a field asks old questions by their old names. It has the fields
// of socket.Request, or the conversion in keyOf does not compile.
type question struct {
	V    int    `json:"-"`
	Type string `json:"type"`
	ID   string `json:"-"`

	Example string          `json:"example,omitzero"`
	Device  string          `json:"device,omitzero"`
	Devices []string        `json:"devices,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`

	Run     string `json:"run,omitzero"`
	Chapter string `json:"chapter,omitzero"`
	Step    *int   `json:"step,omitempty"`
	Cell    []int  `json:"cell,omitempty"`

	Kernel *experiment.Input `json:"kernel,omitempty"`
	Record []launch.Index    `json:"record,omitempty"`
	Which  int               `json:"which,omitzero"`
	Block  int               `json:"block,omitzero"`
	View   launch.View       `json:"view"`
	Goal   *launch.Goal      `json:"goal,omitempty"`
	To     int               `json:"to,omitzero"`
	Output string            `json:"output,omitzero"`
	From   int               `json:"from,omitzero"`

	Precision string `json:"precision,omitzero"`
	Size      int    `json:"size,omitzero"`

	Fresh bool            `json:"-"`
	Room  json.RawMessage `json:"-"`
	At    int64           `json:"-"`
}

// keyOf names what a request asks for: equal questions have one key.
func keyOf(q socket.Request) string {
	asks := question(q)
	asks.Input = compact(asks.Input)
	if asks.Kernel != nil {
		k := *asks.Kernel
		k.Launch = compact(k.Launch)
		asks.Kernel = &k
	}
	text, err := json.Marshal(asks)
	if err != nil {
		panic("BUG: a request that was read is JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return q.Type + ":" + hex.EncodeToString(sum[:keyBytes])
}

// keyBytes are those of a key's hash.
const keyBytes = 16

func compact(text json.RawMessage) json.RawMessage {
	if text == nil {
		return nil
	}
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text // whoever reads it says what is wrong
	}
	return b.Bytes()
}
