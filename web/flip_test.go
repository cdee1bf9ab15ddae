package web

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gorilla/websocket"

	"workbench/engine"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// flipper is a CPU that calls itself an emulator and flips the lowest bit of
// one cell: row 0 and column 1 of every product of 2×3 by 3×2.
type flipper struct{ device.Device }

func (f flipper) Spec() device.Spec { return device.Spec{Kind: device.Emulator} }

func (f flipper) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	out, stats, err := f.Device.Multiply(ctx, p)
	if err == nil && slices.Equal(out.Shape(), []int{2, 2}) && slices.Equal(p.Left.Shape(), []int{2, 3}) {
		v := &out.Data()[1]
		*v = math.Float64frombits(math.Float64bits(*v) ^ 1)
	}
	return out, stats, err
}

// One flipped bit is named at its coordinate by the page, by the live
// connection and by the CSV, and nothing else is.
func TestOneFlippedBit(t *testing.T) {
	o := fixture()
	o.Runner, o.List = nil, engine.List
	o.Emulator = engine.Emulator
	o.Open = func(ctx context.Context, spec string) (device.Device, error) {
		if spec != "emulator" {
			return engine.Open(ctx, spec)
		}
		d, err := engine.Open(ctx, "cpu")
		return flipper{d}, err
	}
	o.Chapters = fstest.MapFS{"01-one/chapter.md": {Data: []byte("---\ntitle: t\nsummary: s\noutcomes: [o]\n---\n" +
		"```comparison both\ndevices: [cpu, emulator]\ntext: ab\n```\n\n" +
		"```product flipped\ndevice: emulator\nleft: [[1, 2, 3], [4, 5, 6]]\nright: [[7, 8], [9, 10], [11, 12]]\n```\n")}}
	_, h := start(t, o)
	const right, wrong = "4050000000000000", "4050000000000001" // of 64

	_, page := get(t, h.URL+"/chapters/01-one")
	for _, want := range []string{
		"<code>emulator</code> does not agree with <code>cpu</code>: of 2155 values, 1 have other bits and 1 are outside the tolerance.",
		"Two values agree when they are equal in every bit (",
		`<th scope="row">matrix</th><td>[0, 1]</td><td>64</td><td>64.00000000000001</td>`,
		`"reference_bits":"` + right + `","candidate_bits":"` + wrong + `"`,
		"<td>64.00000000000001</td>", // in the product's own table
		"bits <code>" + wrong + "</code>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(page, "<td>fails</td>"); n != 2 { // the group and the value
		t.Errorf("%d rows fail on the page, want 2", n)
	}

	_, body := get(t, h.URL+"/api/compare.csv?a=cpu&b=emulator&text=ab")
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var failed [][]string
	for _, row := range rows[1:] {
		if row[slices.Index(rows[0], "pass")] != "true" {
			failed = append(failed, row)
		}
	}
	if len(failed) != 1 || failed[0][0] != "matrix" || failed[0][1] != "[0,1]" && failed[0][1] != "[0, 1]" || !slices.Contains(failed[0], wrong) {
		t.Errorf("the CSV names %v", failed)
	}

	conn, _, err := dial(t, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"v":1,"type":"compare","id":"1","devices":["cpu","emulator"],"input":{"text":"ab"}}`)); err != nil {
		t.Fatal(err)
	}
	for {
		_, text, err := conn.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Type   string
			Report struct {
				Failures, Differing int
				Groups              []struct {
					Name  string
					First *struct{ Coordinate []int }
				}
			}
		}
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		if m.Type == "hello" || m.Type == "devices" || m.Type == "progress" {
			continue
		}
		if m.Type != "report" || m.Report.Failures != 1 || m.Report.Differing != 1 {
			t.Fatalf("answer is %.300s", text)
		}
		for _, g := range m.Report.Groups {
			if (g.First != nil) != (g.Name == "matrix") || g.First != nil && !slices.Equal(g.First.Coordinate, []int{0, 1}) {
				t.Errorf("the report names %+v", g)
			}
		}
		return
	}
}
