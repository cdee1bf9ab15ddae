package figure

import (
	"strconv"
	"strings"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// crossing says where a request is when a step ends: what lies in which memory,
// and what was counted by then.
func (d *drawing) crossing(c *trace.Crossing) {
	d.open("p", "class", "crossing")
	d.textf("In host memory: %s. ", d.names(c.Host))
	if c.Crosses {
		d.textf("In the memory of %s: %s. ", d.trace.Device, d.names(c.Device))
	}
	words := c.Total.Words()
	if words == "" {
		words = "nothing"
	}
	d.textf("Counted so far: %s.", words)
	d.line("p")
}

func (d *drawing) names(tensors []int) string {
	var names []string
	for _, i := range tensors {
		if i >= 0 && i < len(d.trace.Tensors) {
			names = append(names, d.trace.Tensors[i].Name)
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// counters writes what each request of a run cost, and the run.
func (d *drawing) counters() {
	last := map[int]*trace.Crossing{}
	requests := 0
	for i := range d.trace.Steps {
		if c := d.trace.Steps[i].Crossing; c != nil {
			last[c.Request] = c
			requests = max(requests, c.Request+1)
		}
	}
	if requests == 0 {
		return
	}
	d.head("What "+d.trace.Device+" counted", "counters", []string{"request", "packed bytes", "requests complete", "launches", "bytes in", "bytes out", "copy in", "kernel", "copy out"})
	row := func(name, packed string, s device.Stats) {
		d.open("tr")
		d.element("th", name, "scope", "row")
		d.element("td", packed)
		for _, n := range []int64{s.Requests, s.Launches, s.BytesIn, s.BytesOut} {
			d.element("td", strconv.FormatInt(n, 10))
		}
		for _, ns := range []int64{s.CopyInNS, s.KernelNS, s.CopyOutNS} {
			text := "–"
			if ns > 0 {
				text = device.Duration(ns)
			}
			d.element("td", text)
		}
		d.line("tr")
	}
	for n := range requests {
		if c := last[n]; c != nil {
			row(strconv.Itoa(n)+": "+c.Name, strconv.FormatInt(c.Packed, 10), c.Counted)
		}
	}
	row("the run", "", d.trace.Stats)
	d.foot()
}

// bytes writes the elements of a packed operand as they lie in memory.
func (w writer) bytes(t trace.Tensor) {
	w.head("The bytes of "+t.Name, "bytes", []string{"at byte", "value", "bytes, lowest address first"})
	at := 0
	for i, hex := range t.Bytes {
		w.open("tr")
		w.element("th", strconv.Itoa(at), "scope", "row")
		value := ""
		if i < len(t.Values) {
			value = Number(tensor.Number(t.Values[i]))
		}
		w.element("td", value)
		w.element("td", spaced(hex))
		w.line("tr")
		at += len(hex) / 2
	}
	w.foot()
}

// spaced writes hex digits byte by byte: "00 f0 3f".
func spaced(hex string) string {
	var b strings.Builder
	for i := 0; i+1 < len(hex); i += 2 {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(hex[i : i+2])
	}
	return b.String()
}
