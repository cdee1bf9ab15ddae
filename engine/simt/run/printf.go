package run

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

func (e *emitter) assert(i *code.Assert) {
	cond, pos := e.pred(i.Cond), i.Pos
	text, function := i.Text, i.Function
	e.emit(func(w *Warp) {
		failed := w.Active &^ w.p[cond]
		if failed == 0 {
			return
		}
		f := w.fault(Assertion, pos, failed)
		f.Detail = text
		if w.report(f) {
			return // whoever watches has it all, and says it once
		}
		for m := failed; m != 0; m &= m - 1 {
			t, b := w.Thread(first(m)), w.Block.Index
			w.print(pos, fmt.Appendf(nil, "%s:%d: %s: block: [%d,%d,%d], thread: [%d,%d,%d] Assertion `%s` failed.\n",
				f.Position.File, f.Position.Line, function, b.X, b.Y, b.Z, t.X, t.Y, t.Z, text))
		}
	})
}

// printing is what a lane's line counts of its warp's turn, beyond the instruction:
// formatting takes as long as several, and a launch is cancelled between turns.
const printing = 8

func (e *emitter) printf(i *code.Printf) {
	type argument struct {
		t   types.Scalar
		arg arg
	}
	args := make([]argument, len(i.Args))
	for k, a := range i.Args {
		args[k] = argument{a.Type, e.arg(a.X, a.Type)}
	}
	format, pos := parseFormat(i.Format), i.Pos
	result := len(args) // not the characters: CUDA's printf counts arguments
	e.emit(func(w *Warp) {
		for m := w.Active; m != 0; m &= m - 1 {
			if w.Block.Grid.run.cut.Load() {
				w.fuel -= printing // so that what is cut changes no order
				continue
			}
			lane := first(m)
			line := format.append(nil, func(k int) (uint64, types.Scalar, bool) {
				if k >= len(args) {
					return 0, types.Void, false
				}
				return w.one(args[k].arg, widthOf(args[k].t), lane), args[k].t, true
			}, func(p uint64) []byte { return w.text(p, lane) })
			w.print(pos, line)
			w.fuel -= printing
		}
	})
	if i.Dst != 0 {
		e.giveOne(i, i.Dst, func(w *Warp) uint64 { return uint64(result) })
	}
}

// print adds to what the block has printed, up to the launch's limit.
func (w *Warp) print(pos code.Pos, line []byte) {
	r := w.Block.Grid.run
	if after := r.printed.Add(int64(len(line))); after > r.limits.Output {
		if r.cut.CompareAndSwap(false, true) {
			f := w.fault(OutputOut, pos, w.Active)
			f.Detail = fmt.Sprintf("more than %d bytes are printed", r.limits.Output)
			if w.observer != nil {
				w.observer.Fault(w, f)
			}
		}
		return
	}
	w.Block.printed = append(w.Block.printed, line...)
}

// text returns the characters at p up to the zero that ends them.
func (w *Warp) text(p uint64, lane int) []byte {
	const most = 4096
	ac := &access{kind: Load, t: types.I8, size: 1, count: 1, width: 1}
	var out []byte
	for len(out) < most && w.refuse(p, ac) == 0 {
		c := byte(w.get(p, lane, types.U8))
		if c == 0 {
			return out
		}
		out = append(out, c)
		p++
	}
	if len(out) == 0 && p == 0 {
		return []byte("(null)")
	}
	return out
}

// A format is a printf format, cut up.
type format []directive

type directive struct {
	text  string // to be printed as it is, if verb is 0
	flags string
	width int // −1 if none
	star  bool
	prec  int // −1 if none
	point bool
	pstar bool
	verb  byte
	long  int // bits of an integer: 8, 16, 32, 64
}

// parseFormat cuts up a format. What is no conversion of C's is printed as it
// stands.
func parseFormat(s string) format {
	var out format
	plain := func(t string) {
		if t == "" {
			return
		}
		if n := len(out); n > 0 && out[n-1].verb == 0 {
			out[n-1].text += t
			return
		}
		out = append(out, directive{text: t})
	}
	for {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			plain(s)
			return out
		}
		plain(s[:at])
		d, n := parseDirective(s[at:])
		if d.verb == '%' {
			plain("%")
		} else if d.verb == 0 {
			plain(s[at : at+n])
		} else {
			out = append(out, d)
		}
		s = s[at+n:]
	}
}

// parseDirective reads the conversion at the start of s, and how long it is.
func parseDirective(s string) (directive, int) {
	d := directive{width: -1, prec: -1, long: 32}
	i := 1
	for i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0 {
		d.flags += s[i : i+1]
		i++
	}
	number := func() int {
		n := -1
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			n = min(max(n, 0)*10+int(s[i]-'0'), maxWidth)
			i++
		}
		return n
	}
	if i < len(s) && s[i] == '*' {
		d.star = true
		i++
	} else {
		d.width = number()
	}
	if i < len(s) && s[i] == '.' {
		i++
		d.point = true
		if i < len(s) && s[i] == '*' {
			d.pstar = true
			i++
		} else {
			d.prec = max(number(), 0)
		}
	}
	for i < len(s) {
		switch {
		case strings.HasPrefix(s[i:], "hh"):
			d.long, i = 8, i+2
			continue
		case s[i] == 'h':
			d.long, i = 16, i+1
			continue
		case strings.HasPrefix(s[i:], "ll"):
			d.long, i = 64, i+2
			continue
		case strings.IndexByte("ljzt", s[i]) >= 0:
			d.long, i = 64, i+1
			continue
		case s[i] == 'L':
			i++
			continue
		}
		break
	}
	if i < len(s) && strings.IndexByte("diouxXcsfFeEgGaAp%", s[i]) >= 0 {
		d.verb = s[i]
		i++
	}
	return d, i
}

// maxWidth bounds widths and precisions, which are a kernel's to choose.
const maxWidth = 1024

// append formats as C does. arg gives the bits of an argument and their type,
// text the characters behind a pointer.
func (f format) append(out []byte, arg func(k int) (uint64, types.Scalar, bool), text func(p uint64) []byte) []byte {
	k := 0
	next := func() (uint64, types.Scalar, bool) {
		x, t, ok := arg(k)
		k++
		return x, t, ok
	}
	for _, d := range f {
		if d.verb == 0 {
			out = append(out, d.text...)
			continue
		}
		if d.star {
			n, _, _ := next()
			d.width = int(int32(n))
			if d.width < 0 {
				d.flags += "-"
				d.width = -d.width
			}
			d.width = min(d.width, maxWidth)
		}
		if d.pstar {
			n, _, _ := next()
			d.prec = min(int(int32(n)), maxWidth)
			if d.prec < 0 {
				d.prec, d.point = -1, false
			}
		}
		x, t, ok := next()
		if !ok {
			// CUDA's printf has no argument for it either, and prints what it likes.
			continue
		}
		out = d.append(out, x, t, text)
	}
	return out
}

func (d *directive) has(flag byte) bool { return strings.IndexByte(d.flags, flag) >= 0 }

// append formats one argument.
func (d *directive) append(out []byte, x uint64, t types.Scalar, text func(p uint64) []byte) []byte {
	switch d.verb {
	case 'c':
		return d.pad(out, "", []byte{byte(x)}, false)
	case 's':
		s := text(x)
		if d.point && len(s) > d.prec {
			s = s[:d.prec]
		}
		return d.pad(out, "", s, false)
	case 'p':
		return d.pad(out, "0x", strconv.AppendUint(nil, x, 16), false)
	case 'd', 'i':
		v := int64(x)
		if t != types.F64 {
			v = d.signed(x, t)
		}
		sign, m := d.sign(v < 0), uint64(v)
		if v < 0 {
			m = -m
		}
		return d.integer(out, sign, strconv.AppendUint(nil, m, 10))
	case 'u', 'o', 'x', 'X':
		m := uint64(d.signed(x, t))
		if d.long < 64 {
			m &= 1<<d.long - 1
		}
		base, prefix := 10, ""
		switch d.verb {
		case 'o':
			base = 8
		case 'x', 'X':
			base = 16
			if d.has('#') && m != 0 {
				prefix = "0" + string(d.verb)
			}
		}
		digits := strconv.AppendUint(nil, m, base)
		if d.verb == 'X' {
			digits = bytes.ToUpper(digits)
		}
		if d.verb == 'o' && d.has('#') && digits[0] != '0' {
			digits = append([]byte{'0'}, digits...)
		}
		return d.integer(out, prefix, digits)
	}
	v := math.Float64frombits(x)
	if t != types.F64 {
		v = 0 // an integer where a double is read: C leaves open what that prints
	}
	return d.float(out, v)
}

// signed returns an integer argument as the length modifier takes it.
func (d *directive) signed(x uint64, t types.Scalar) int64 {
	v := int64(x)
	if t.Size() == 4 {
		v = int64(int32(x))
		if t == types.U32 {
			v = int64(uint32(x))
		}
	}
	switch d.long {
	case 8:
		return int64(int8(v))
	case 16:
		return int64(int16(v))
	case 32:
		return int64(int32(v))
	}
	return v
}

func (d *directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case d.has('+'):
		return "+"
	case d.has(' '):
		return " "
	}
	return ""
}

func (d *directive) integer(out []byte, prefix string, digits []byte) []byte {
	if d.point {
		if d.prec == 0 && string(digits) == "0" {
			digits = nil
		}
		for len(digits) < d.prec {
			digits = append([]byte{'0'}, digits...)
		}
		return d.pad(out, prefix, digits, false)
	}
	return d.pad(out, prefix, digits, true)
}

func (d *directive) float(out []byte, v float64) []byte {
	sign := d.sign(math.Signbit(v))
	upper := d.verb >= 'A' && d.verb <= 'Z'
	var digits []byte
	if v-v != 0 {
		name := "inf"
		if v != v {
			name, sign = "nan", d.sign(math.Signbit(v))
		}
		if upper {
			name = strings.ToUpper(name)
		}
		return d.pad(out, sign, []byte(name), false)
	}
	v = math.Abs(v)
	prec := d.prec
	if !d.point && d.verb != 'a' && d.verb != 'A' {
		prec = 6
	}
	switch d.verb {
	case 'f', 'F':
		digits = strconv.AppendFloat(nil, v, 'f', prec, 64)
		if prec == 0 && d.has('#') {
			digits = append(digits, '.')
		}
	case 'e', 'E':
		digits = strconv.AppendFloat(nil, v, 'e', prec, 64)
	case 'g', 'G':
		digits = general(v, max(prec, 1), d.has('#'))
	case 'a', 'A':
		// C: 0x1.8p+0; Go: 0x1.8p+00.
		digits = strconv.AppendFloat(nil, v, 'x', prec, 64)
		at := bytes.IndexByte(digits, 'p')
		exponent := digits[at+2:]
		for len(exponent) > 1 && exponent[0] == '0' {
			exponent = exponent[1:]
		}
		digits = append(digits[:at+2:at+2], exponent...)
		sign += "0x"
		digits = digits[2:]
	}
	if upper {
		digits, sign = bytes.ToUpper(digits), strings.ToUpper(sign)
	}
	return d.pad(out, sign, digits, true)
}

// general is C's %g: scientific where the exponent is below −4 or not below the
// precision, without zeros at the end unless alternate.
func general(v float64, prec int, alternate bool) []byte {
	e := strconv.AppendFloat(nil, v, 'e', prec-1, 64)
	at := bytes.IndexByte(e, 'e')
	exponent, _ := strconv.Atoi(string(e[at+1:]))
	trim := func(s []byte) []byte {
		if alternate || bytes.IndexByte(s, '.') < 0 {
			return s
		}
		return bytes.TrimRight(bytes.TrimRight(s, "0"), ".")
	}
	if exponent < -4 || exponent >= prec {
		tail := bytes.Clone(e[at:])
		return append(trim(e[:at:at]), tail...)
	}
	return trim(strconv.AppendFloat(nil, v, 'f', prec-1-exponent, 64))
}

// pad writes prefix and body in the directive's width. zeros says whether the
// flag 0 means anything.
func (d *directive) pad(out []byte, prefix string, body []byte, zeros bool) []byte {
	missing := d.width - len(prefix) - len(body)
	switch {
	case missing <= 0:
		return append(append(out, prefix...), body...)
	case d.has('-'):
		out = append(append(out, prefix...), body...)
		return append(out, bytes.Repeat([]byte{' '}, missing)...)
	case zeros && d.has('0'):
		out = append(out, prefix...)
		out = append(out, bytes.Repeat([]byte{'0'}, missing)...)
		return append(out, body...)
	}
	out = append(out, bytes.Repeat([]byte{' '}, missing)...)
	return append(append(out, prefix...), body...)
}
