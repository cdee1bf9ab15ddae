package socket

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"workbench/web/run"
)

func TestDecode(t *testing.T) {
	for text, want := range map[string]struct {
		id    string
		code  run.Code // "" for a good message
		field string
		says  string
	}{
		`{"v":1,"type":"devices","id":"7"}`: {"7", "", "", ""},
		`{"v":1,"type":"run","id":"7","example":"product","device":"cpu","input":{"left":[[1]]}}`:     {"7", "", "", ""},
		`{"v":1,"type":"explain","id":"7","run":"page:x","chapter":"01-one","step":0,"cell":[0,0,1]}`: {"7", "", "", ""},
		`{"v":1,"type":"compare","id":"7","devices":["cpu","cpu,fused"]}`:                             {"7", "", "", ""},
		`{"v":1,"type":"cancel","id":"7"}`:                                                            {"7", "", "", ""},
		``:                                                                                            {"", run.CodeProtocol, "", "it ends too early"},
		`{`:                                                                                           {"", run.CodeProtocol, "", "it ends too early"},
		`null`:                                                                                        {"", run.CodeProtocol, "", "needs an id"},
		`[]`:                                                                                          {"", run.CodeProtocol, "", "A message cannot be read: it is an array, and messages are objects."},
		`{"v":1,"type":"devices"}`:                                                                    {"", run.CodeProtocol, "", "needs an id"},
		`{"v":1,"type":"devices","id":7}`:                                                             {"", run.CodeProtocol, "", "id has a number"},
		`"x"`:                                                                                         {"", run.CodeProtocol, "", "it is a string, and"},
		`{"v":1,"type":"devices","id":["7"]}`:                                                         {"", run.CodeProtocol, "", "id has an array."},
		`{"v":1,"type":"devices","id":"` + strings.Repeat("x", 65) + `"}`:                                  {"", run.CodeProtocol, "", "needs an id"},
		`{"v":1,"type":"devices","id":"a\u0000"}`:                                                          {"", run.CodeProtocol, "", "needs an id"},
		`{"v":1,"type":"devices","id":"7"} {}`:                                                             {"7", run.CodeProtocol, "", "more after its closing brace"},
		`{"v":2,"type":"devices","id":"7"}`:                                                                {"7", run.CodeProtocol, "", "speaks version 2"},
		`{"type":"devices","id":"7"}`:                                                                      {"7", run.CodeProtocol, "", "speaks version 0"},
		`{"v":1,"type":"dance","id":"7"}`:                                                                  {"7", run.CodeProtocol, "", `type "dance" is unknown`},
		`{"v":1,"type":"hello","id":"7"}`:                                                                  {"7", run.CodeProtocol, "", "is unknown"},
		`{"v":1,"type":"run","id":"7","example":"product","device":"cpu","colour":1}`:                      {"7", run.CodeProtocol, "", `unknown field "colour"`},
		`{"v":1,"type":"run","id":"7","device":"cpu"}`:                                                     {"7", run.CodeProtocol, "example", ""},
		`{"v":1,"type":"run","id":"7","example":"product"}`:                                                {"7", run.CodeProtocol, "device", ""},
		`{"v":1,"type":"explain","id":"7","step":0,"cell":[0,0,0]}`:                                        {"7", run.CodeProtocol, "run", ""},
		`{"v":1,"type":"explain","id":"7","run":"r1","cell":[0,0,0]}`:                                      {"7", run.CodeProtocol, "step", ""},
		`{"v":1,"type":"explain","id":"7","run":"r1","step":-1,"cell":[0,0,0]}`:                            {"7", run.CodeProtocol, "step", ""},
		`{"v":1,"type":"explain","id":"7","run":"r1","step":0,"cell":[0,0]}`:                               {"7", run.CodeProtocol, "cell", ""},
		`{"v":1,"type":"explain","id":"7","run":"r1","step":0,"cell":[0,0,-1]}`:                            {"7", run.CodeProtocol, "cell", ""},
		`{"v":1,"type":"explain","id":"7","run":"r1","step":1.5,"cell":[0,0,0]}`:                           {"7", run.CodeProtocol, "", "step has a number"},
		`{"v":1,"type":"compare","id":"7","devices":["cpu"]}`:                                              {"7", run.CodeProtocol, "devices", ""},
		`{"v":1,"type":"run","id":"7","example":"decoder","device":"cpu","input":{"text":"\ud800"}}`:       {"7", run.CodeInput, "text", "half of a character"},
		`{"v":1,"type":"run","id":"7","example":"decoder","device":"cpu","input":{"text":"\udc00\ud800"}}`: {"7", run.CodeInput, "text", ""},
		`{"v":1,"type":"run","id":"7","example":"decoder","device":"cpu","input":{"text":"\ud83d\ude00"}}`: {"7", "", "", ""},
		`{"v":1,"type":"run","id":"7","example":"decoder","device":"cpu","input":{"text":"\\ud800"}}`:      {"7", "", "", ""},
		"{\"v\":1,\"type\":\"devices\",\"id\":\"\xff\"}":                                                   {"", run.CodeProtocol, "", "not UTF-8"},
	} {
		q, bad := decode([]byte(text))
		if q.ID != want.id {
			t.Errorf("%s: id %q, want %q", text, q.ID, want.id)
		}
		switch {
		case want.code == "" && bad != nil:
			t.Errorf("%s: %v", text, bad)
		case want.code == "":
		case bad == nil:
			t.Errorf("%s was taken", text)
		case bad.Code != want.code || bad.Field != want.field || !strings.Contains(bad.Message, want.says):
			t.Errorf("%s: %s, field %q, %q; want %s, %q, %q", text, bad.Code, bad.Field, bad.Message, want.code, want.field, want.says)
		}
	}
}

// FuzzDecode reads any message. What is taken is complete; what is refused is
// refused in words that can be sent back.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"", "{}", "null", "[1]", `{"v":1,"type":"devices","id":"7"}`,
		`{"v":1,"type":"run","id":"7","example":"product","device":"cpu","input":{"left":[[1]]}}`,
		`{"v":1,"type":"explain","id":"7","run":"page:x","chapter":"01-one","step":0,"cell":[0,0,1]}`,
		`{"v":1,"type":"compare","id":"7","devices":["cpu","cpu,fused"]}`,
		`{"v":1,"type":"cancel","id":"\ud83d\ude00"}`, `{"id":"\ud800","\u`, "{\"id\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		q, bad := decode(text)
		if bad == nil {
			if !validID(q.ID) || q.V != Version {
				t.Errorf("a message was taken with id %q and version %d", q.ID, q.V)
			}
			if q.Type == Explain && (len(q.Cell) != 3 || q.Step == nil) || q.Type == Compare && len(q.Devices) != 2 {
				t.Errorf("an incomplete message was taken: %+v", q)
			}
			if !json.Valid(text) {
				t.Error("a message was taken that is not JSON")
			}
			return
		}
		if bad.Message == "" || bad.Code != run.CodeProtocol && bad.Code != run.CodeInput {
			t.Errorf("refused with %+v", bad)
		}
		if q.ID != "" && !validID(q.ID) {
			t.Errorf("the answer would carry the id %q", q.ID)
		}
		answer, err := encode(failure(q.ID, bad))
		if err != nil || !utf8.Valid(answer) || len(answer) > 4096 {
			t.Errorf("the answer is %d bytes, %v", len(answer), err)
		}
	})
}
