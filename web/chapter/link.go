package chapter

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"workbench/engine/device"
)

// A link stands in a chapter's text and must lead to a chapter, and there to a
// heading, a paragraph or a state of a widget:
//
//	/chapters/02-sums?widget=by-hand&step=3&cell=0,0,1&device=cpu,fused#by-hand
type link struct {
	line     int
	text     string // as the author wrote it
	slug     string // the chapter
	query    url.Values
	fragment string
}

// follow returns what keeps a link into c from leading anywhere, or "". It
// needs the chapter's widgets to have run.
func (c *Chapter) follow(l link) string {
	if l.fragment != "" {
		if _, ok := c.anchors[l.fragment]; !ok {
			return c.nowhere(l.fragment)
		}
	}
	if len(l.query) == 0 {
		return ""
	}
	for key := range l.query {
		if !slices.Contains([]string{"widget", "step", "cell", "device"}, key) {
			return key + " is no part of a link to a widget: those are widget, step, cell and device"
		}
	}
	w := c.Widget(l.query.Get("widget"))
	if c.broken[l.query.Get("widget")] {
		return "" // reported where the widget is
	}
	if w == nil {
		return fmt.Sprintf("%s has no widget %q", c.Slug, l.query.Get("widget"))
	}
	if step := l.query.Get("step"); step != "" {
		n, err := strconv.Atoi(step)
		if err != nil || n < 0 {
			return fmt.Sprintf("step %q is not a whole number from 0", step)
		}
		if w.Trace != nil && n >= len(w.Trace.Steps) {
			return fmt.Sprintf("step %d is past the end of %s: its steps run from 0 to %d", n, w.ID, len(w.Trace.Steps)-1)
		}
	}
	if cell := l.query.Get("cell"); cell != "" {
		parts := strings.Split(cell, ",")
		bad := func(s string) bool { n, err := strconv.Atoi(s); return err != nil || n < 0 }
		if len(parts) != 3 || slices.ContainsFunc(parts, bad) {
			return fmt.Sprintf("cell %q is not matrix,row,column, as in 0,0,1", cell)
		}
	}
	if given := l.query.Get("device"); given != "" {
		specs := []string{given}
		if w.Example == Comparison {
			if specs = strings.Split(given, " "); len(specs) != 2 {
				return fmt.Sprintf("device %q is not two devices with a blank between them, written as +: %s is a comparison", given, w.ID)
			}
		}
		for _, spec := range specs {
			if _, err := device.ParseSpec(spec); err != nil {
				return err.Error()
			}
		}
	}
	return ""
}
