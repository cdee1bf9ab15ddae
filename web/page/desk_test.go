package page

import (
	"slices"
	"testing"

	"workbench/web/chapter"
)

// A presenter who steps on comes to all that a chapter shows, in the order of its text:
// to the ladders among the widgets, too.
func TestLaddersOfADesk(t *testing.T) {
	p := newPart(&chapter.Chapter{
		Widgets: []*chapter.Widget{{ID: "one", Example: "product"}, {ID: "two", Example: "kernel"}},
		Ladders: []chapter.Ladder{{ID: "first", Caption: "A.", After: 0}, {ID: "between", Caption: "B.", After: 1}, {ID: "last", Caption: "C.", After: 2}, {ID: "end", Caption: "D.", After: 2}},
	})
	var got []string
	for _, w := range p.Widgets {
		got = append(got, w.ID+" "+w.Kind+" "+w.Title)
	}
	if want := []string{"first ladder A.", "one product One", "between ladder B.", "two kernel Two", "last ladder C.", "end ladder D."}; !slices.Equal(got, want) {
		t.Errorf("the desk steps through %q, want %q", got, want)
	}
}
