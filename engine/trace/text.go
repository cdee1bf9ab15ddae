package trace

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"workbench/engine/tensor"
)

// Most of a tensor that the text form shows.
const (
	textRows    = 8
	textColumns = 8
	textTerms   = 24
)

// WriteText writes the run as a person would on a board: each step numbered,
// with its sentence, who carried it out, and its numbers. Long tensors are cut,
// and the text says so.
func (t *Trace) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s on %s (%s, %s), %d steps\n", t.Example, t.maker(), t.Contract, t.Precision, len(t.Steps))
	if work := t.Stats.Words(); work != "" {
		fmt.Fprintf(out, "device work: %s\n", work)
	}
	section := ""
	for i, s := range t.Steps {
		heading := s.Phase
		if s.Section != "" && s.Section != s.Phase {
			heading += ", " + s.Section
		}
		if heading != section {
			fmt.Fprintf(out, "\n── %s\n", heading)
			section = heading
		}
		fmt.Fprintf(out, "\n%3d  %s  [%s]\n", i, s.Title, s.Device)
		switch {
		case s.Cell != nil && s.Cell.Device != "":
			writeCell(out, s.Cell)
		case s.Cell != nil:
			fmt.Fprintf(out, "       %s\n", FormatNumber(float64(s.Cell.Value)))
		case s.Op == "draw":
			for _, o := range s.Outputs {
				fmt.Fprintf(out, "       %-36s %s\n", t.Tensors[o].Name, tensor.FormatShape(t.Tensors[o].Shape))
			}
		case s.Op == "result" && len(s.Outputs) > 3:
			for _, o := range s.Outputs {
				fmt.Fprintf(out, "       %-48s %s\n", t.Tensors[o].Name, tensor.FormatShape(t.Tensors[o].Shape))
			}
		default:
			for _, o := range s.Outputs {
				t.writeTensor(out, o)
			}
		}
		if s.Stats != nil {
			fmt.Fprintf(out, "       cost: %s\n", s.Stats.Words())
		}
		if c := s.Crossing; c != nil {
			counted := c.Total.Words()
			if counted == "" {
				counted = "nothing"
			}
			fmt.Fprintf(out, "       counted so far: %s\n", counted)
		}
		if s.Note != "" {
			fmt.Fprintf(out, "       %s\n", s.Note)
		}
	}
	return out.Flush()
}

// writeCell writes the chain behind one cell as a table.
func writeCell(out io.Writer, c *Cell) {
	if len(c.RightIndices) > 0 || c.Divisor == 0 {
		fmt.Fprintf(out, "       %s\n", c.Formula)
	}
	if len(c.Terms) > 0 {
		rows := [][]string{{"k", "left", "right", "product", "sum"}}
		for k, term := range c.Terms {
			if len(c.Terms) > textTerms && k >= textTerms-1 && k < len(c.Terms)-1 {
				if k == textTerms-1 {
					rows = append(rows, []string{"…", "", "", "", ""})
				}
				continue
			}
			rows = append(rows, []string{
				fmt.Sprint(c.Number(k)), FormatNumber(float64(term.Left)), FormatNumber(float64(term.Right)),
				FormatNumber(float64(term.Product)), FormatNumber(float64(term.Sum)),
			})
		}
		writeTable(out, rows)
		if c.Omitted != nil {
			fmt.Fprintf(out, "       (%d products in all)\n", c.Length())
		}
	}
	last := FormatNumber(float64(c.Last))
	if c.Divisor > 0 && len(c.Terms) > 0 {
		fmt.Fprintf(out, "       %s / %d = %s\n", FormatNumber(float64(c.Terms[len(c.Terms)-1].Sum)), c.Divisor, last)
	}
	if c.Agrees && math.IsNaN(float64(c.Value)) {
		fmt.Fprintf(out, "       computed again by %s (%s): NaN, as in the run\n", c.Device, c.Contract)
		return
	}
	if c.Agrees {
		fmt.Fprintf(out, "       computed again by %s (%s): %s, every bit of the run's value (%s)\n", c.Device, c.Contract, last, c.ValueBits)
		return
	}
	fmt.Fprintf(out, "       computed again by %s (%s): %s (%s), where the run has %s (%s)\n",
		c.Device, c.Contract, last, c.LastBits, FormatNumber(float64(c.Value)), c.ValueBits)
	if c.Why != "" {
		fmt.Fprintf(out, "       %s\n", c.Why)
	}
}

// writeTensor writes a tensor's rows, with a blank line between matrices.
func (t *Trace) writeTensor(out io.Writer, index int) {
	value := t.Tensors[index]
	fmt.Fprintf(out, "       %s %s", value.Name, tensor.FormatShape(value.Shape))
	if l := value.Layout; l != nil {
		fmt.Fprintf(out, "  offset %d, strides %s", l.Offset, tensor.FormatShape(l.Strides))
		if !l.Contiguous {
			fmt.Fprint(out, ", not contiguous")
		}
	}
	fmt.Fprintln(out)
	if len(value.Values) == 0 {
		fmt.Fprintln(out, "       (no elements)")
		return
	}
	columns := 1
	if rank := len(value.Shape); rank > 0 {
		columns = value.Shape[rank-1]
	}
	rows := [][]string{}
	total := len(value.Values) / columns
	for r := range min(total, textRows) {
		if rank := len(value.Shape); rank > 2 && value.Shape[rank-2] > 1 && r > 0 && r%value.Shape[rank-2] == 0 {
			rows = append(rows, nil)
		}
		row := []string{}
		for c := range min(columns, textColumns) {
			row = append(row, FormatNumber(value.Values[r*columns+c]))
		}
		rows = append(rows, row)
	}
	writeTable(out, rows)
	if n := len(value.Bytes); n > 0 {
		more := ""
		if n > textColumns {
			more = " …"
		}
		fmt.Fprintf(out, "       bytes %s%s\n", strings.Join(value.Bytes[:min(n, textColumns)], " "), more)
	}
	if total > textRows || columns > textColumns {
		fmt.Fprintf(out, "       (%d of %d rows, %d of %d columns)\n", min(total, textRows), total, min(columns, textColumns), columns)
	}
}

// writeTable writes right-aligned columns. Widths are counted in characters.
func writeTable(out io.Writer, rows [][]string) {
	widths := map[int]int{}
	for _, row := range rows {
		for c, text := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(text))
		}
	}
	for _, row := range rows {
		if len(row) > 0 {
			fmt.Fprint(out, "      ")
		}
		for c, text := range row {
			fmt.Fprint(out, "  ", strings.Repeat(" ", widths[c]-utf8.RuneCountInString(text)), text)
		}
		fmt.Fprintln(out)
	}
}
