package launch_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"workbench/engine/launch"
)

func racing() launch.Report {
	return launch.Report{
		Kind: launch.Race, Severity: launch.Fault,
		Place: launch.Place{
			File: "tile.cu", Line: 14, Column: 9, Source: "\tsum = tile[ty][k];",
			Block: launch.Index{0, 2, 0}, Thread: launch.Index{0, 1, 0}, Warp: 0, Lane: 16, Access: "read",
		},
		Other: &launch.Place{
			File: "tile.cu", Line: 11, Column: 2, Source: "\ttile[ty][tx] = a[i]; // µ", Macro: "FILL",
			Block: launch.Index{0, 2, 0}, Thread: launch.Index{1, 1, 0}, Warp: 0, Lane: 17, Access: "write",
		},
		Address: "tile[1][1]", Message: "nothing orders two accesses to tile[1][1]", Cause: "a barrier is missing", Count: 480,
	}
}

func TestReportText(t *testing.T) {
	r := racing()
	want := "tile.cu:14:9: error: race: nothing orders two accesses to tile[1][1]\n" +
		"   14 | \tsum = tile[ty][k];\n" +
		"      | \t       ^\n" +
		"    read by block (0,2,0), thread (0,1,0): warp 0, lane 16\n" +
		"    the other access: write by block (0,2,0), thread (1,1,0): warp 0, lane 17, at tile.cu:11:2\n" +
		"   11 | \ttile[ty][tx] = a[i]; // µ\n" +
		"      | \t^\n" +
		"    in the expansion of FILL\n" +
		"    likely cause: a barrier is missing\n" +
		"    seen 480 times\n"
	if got := r.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	one := launch.Report{Kind: launch.DivideByZero, Severity: launch.Fault, Message: "i / n with n = 0", Count: 1}
	want = "(unknown position): error: divide-by-zero: i / n with n = 0\n" +
		"    block (0,0,0), thread (0,0,0): warp 0, lane 0\n"
	if got := one.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCaretBehindRunes(t *testing.T) {
	p := launch.Place{Line: 3, Column: 12, Source: `p("µµ", a[i])`}
	if got, want := p.Caret(), "    3 | p(\"µµ\", a[i])\n      |          ^\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestReportJSON holds the names that other programs read.
func TestReportJSON(t *testing.T) {
	r := racing()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	other, _ := fields["other"].(map[string]any)
	for name, want := range map[string]any{
		"kind": "race", "severity": "error", "file": "tile.cu", "line": 14., "column": 9., "address": "tile[1][1]",
		"block": []any{0., 2., 0.}, "thread": []any{0., 1., 0.}, "message": r.Message, "count": 480.,
	} {
		if !reflect.DeepEqual(fields[name], want) {
			t.Errorf("%s is %v, want %v", name, fields[name], want)
		}
	}
	if other["line"] != 11. || !reflect.DeepEqual(other["thread"], []any{1., 1., 0.}) || !reflect.DeepEqual(other["block"], []any{0., 2., 0.}) {
		t.Errorf("other is %v", other)
	}
	var back launch.Report
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("read back: %+v, %v", back, err)
	}
}
