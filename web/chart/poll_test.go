package chart

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// drawnPoll is what a reader sees of a poll's chart, a row for each bar from the top.
func drawnPoll(t *testing.T, counts []Count) (rows []string, legend bool) {
	t.Helper()
	text, err := json.Marshal(Poll(counts))
	if err != nil {
		t.Fatal(err)
	}
	var option struct {
		Legend struct{ Show bool }
		XAxis  []struct{ Type string }
		YAxis  []struct{ Data []string }
		Series []struct {
			Name, Stack string
			Data        []struct{ Value any }
		}
	}
	if err := json.Unmarshal(text, &option); err != nil {
		t.Fatal(err)
	}
	if len(option.YAxis) != 1 || len(option.XAxis) != 1 || option.XAxis[0].Type != "value" {
		t.Fatalf("the axes are %+v and %+v: %s", option.XAxis, option.YAxis, text)
	}
	for i, name := range option.YAxis[0].Data {
		for _, s := range option.Series {
			if s.Stack == "" || len(s.Data) != len(option.YAxis[0].Data) {
				t.Fatalf("series %q is %+v", s.Name, s)
			}
			if v := s.Data[i].Value; v != nothing {
				rows = append(rows, fmt.Sprintf("%s: %v %s", name, v, s.Name))
			}
		}
	}
	slices.Reverse(rows)
	return rows, option.Legend.Show
}

// The right answer is told by a tick and a series of its own.
func TestPoll(t *testing.T) {
	for name, test := range map[string]struct {
		counts []Count
		want   []string
	}{
		"not revealed": {[]Count{{Text: "64", Count: 3}, {Text: "58", Count: 1}}, []string{"64: 3 answers", "58: 1 answers"}},
		"revealed":     {[]Count{{Text: "64", Count: 3, Right: true}, {Text: "58", Count: 1}}, []string{"✓ 64: 3 the right answer", "58: 1 answers"}},
		"nobody knew":  {[]Count{{Text: "64", Right: true}, {Text: "58", Count: 2}}, []string{"✓ 64: 0 the right answer", "58: 2 answers"}},
		"a long text": {[]Count{{Text: "because  the\nrunning sum is rounded", Count: 1}},
			[]string{"because the running sum is …: 1 answers"}},
	} {
		rows, legend := drawnPoll(t, test.counts)
		if !slices.Equal(rows, test.want) {
			t.Errorf("%s: %q, want %q", name, rows, test.want)
		}
		if right := strings.Contains(strings.Join(rows, ""), "✓"); legend != right {
			t.Errorf("%s: the legend is shown: %v", name, legend)
		}
	}
	for name, counts := range map[string][]Count{"no choices": nil, "no answers": {{Text: "yes"}, {Text: "no", Right: true}}} {
		if option := Poll(counts); option != nil {
			t.Errorf("%s: the chart is %v", name, option)
		}
	}
}
