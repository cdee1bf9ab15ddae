package figure

import (
	"strconv"

	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// cell writes one output element term by term. Left and right are the operands'
// names; a reduction has the left one alone.
func (w writer) cell(c *trace.Cell, left, right string) {
	columns := []string{"k", left, right, "product", "running sum"}
	values := func(t trace.Term) []tensor.Number {
		return []tensor.Number{t.Left, t.Right, t.Product, t.Sum}
	}
	if right == "" { // whose values are multiplied by 1
		columns = []string{"k", left, "running sum"}
		values = func(t trace.Term) []tensor.Number { return []tensor.Number{t.Left, t.Sum} }
	}
	w.open("p", "class", "cell-index")
	w.text(c.Formula)
	w.line("p")
	if len(c.Terms) > 0 {
		w.scroll("terms of the sum", len(columns))
		w.open("table", "class", "terms")
		w.columns(columns)
		for i, term := range c.Terms {
			if c.Omitted != nil && i == c.Omitted.First {
				w.open("tr")
				w.element("td", leftOut(c, right != ""), "class", "gap", "colspan", strconv.Itoa(len(columns)))
				w.line("tr")
			}
			w.open("tr")
			w.element("th", strconv.Itoa(c.Number(i)), "scope", "row")
			for _, n := range values(term) {
				w.element("td", Number(n))
			}
			w.line("tr")
		}
		w.close("tbody")
		w.close("table")
		w.line("div")
	}
	w.open("p", "class", "cell-value")
	if c.Divisor > 0 {
		w.textf("Divided by %d. ", c.Divisor)
	}
	w.textf("The run's value is %s, bits ", Number(c.Value))
	w.element("code", c.ValueBits)
	if c.Agrees {
		w.textf("; %s writes out the same bits.", c.Device)
	} else {
		w.textf("; %s writes out %s, bits ", c.Device, Number(c.Last))
		w.element("code", c.LastBits)
		w.text(": they differ.")
		if c.Why != "" {
			w.textf(" %s.", upper(c.Why))
		}
	}
	w.line("p")
}

// leftOut says how many terms of a long cell are not written out.
func leftOut(c *trace.Cell, products bool) string {
	thing := "value"
	if products {
		thing = "product"
	}
	return "… " + count(int64(c.Omitted.Count), thing) + " left out …"
}
