package launchfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"workbench/engine/launch"
)

// The most of everything.
const (
	MaxFile   = 64 << 20 // bytes of a launch file
	MaxSource = 1 << 20  // bytes of a source
	MaxMemory = 1 << 30  // bytes of all buffers and constants together

	maxLaunches = 1024
	maxBuffers  = 1024
	maxArgs     = 256
	maxRank     = 8
	maxNested   = 16 // structs in structs
	maxName     = 1024
	maxSeconds  = 24 * 60 * 60
)

// Parse reads a launch file. Its error is an *Error.
func Parse(data []byte) (*File, error) { return ParseWithin(data, MaxMemory) }

// ParseWithin reads a launch file whose buffers and constants take memory bytes
// together at most. Its error is an *Error.
func ParseWithin(data []byte, memory int64) (*File, error) {
	f, err := parse(data, memory)
	if err != nil {
		return nil, err
	}
	return f, nil
}

var (
	launchFields = []string{"kernel", "grid", "block", "shared_bytes", "args", "constants"}
	commonFields = []string{"source", "checks", "measures", "limits"}
	oneFields    = slices.Concat([]string{"source"}, launchFields, []string{"checks", "measures", "limits"})
	bufferFields = []string{"name", "type", "shape", "fill", "seed", "values", "out"}
	argFields    = slices.Concat(bufferFields, []string{"value", "struct", "buffer"})
)

func parse(data []byte, room int64) (*File, *Error) {
	if len(data) > MaxFile {
		return nil, &Error{"", fmt.Sprintf("the file has %d bytes, and %d is the most", len(data), MaxFile)}
	}
	if err := checkSyntax(data); err != nil {
		return nil, err
	}
	r := &reader{room: room, named: map[string]int{}}
	root := value{"", bytes.TrimSpace(data)}
	if !root.is('{') {
		return nil, &Error{"", `the file is not an object: write {"source": …, "kernel": …, "grid": …, "block": …, "args": […]}`}
	}
	f := r.file(root)
	if r.err != nil {
		return nil, r.err
	}
	f.Buffers = r.buffers
	for _, b := range f.Buffers {
		b.Memory.Out = b.Out
	}
	return f, nil
}

func (r *reader) file(root value) *File {
	f := &File{Checks: slices.Clone(launch.ReportKinds)}
	var o object
	if several := slices.ContainsFunc(r.members(root, "a launch file"), func(f field) bool { return f.name == "launches" || f.name == "buffers" }); several {
		o = r.object(root, "a file of several launches", slices.Concat(commonFields, []string{"buffers", "launches", "constants"})...)
		if o.has("buffers") {
			for _, v := range r.items(o.fields["buffers"], maxBuffers, "a list of buffers") {
				r.buffer(r.object(v, "a buffer", bufferFields...), "")
			}
		}
		shared := r.constants(o)
		for _, v := range r.items(r.need(o, "launches", "a list of launches"), maxLaunches, "a list of launches") {
			l := r.launch(r.object(v, "a launch", launchFields...))
			for _, c := range shared {
				if !slices.ContainsFunc(l.Constants, func(own launch.Constant) bool { return own.Name == c.Name }) {
					l.Constants = append(l.Constants, c)
				}
			}
			f.Launches = append(f.Launches, l)
		}
		if len(f.Launches) == 0 {
			r.fail("launches", "is empty: write at least one launch")
		}
	} else {
		o = r.object(root, "a launch file", oneFields...)
		f.Launches = []*launch.Launch{r.launch(o)}
	}
	f.Source = r.text(r.need(o, "source", "the name of a file with CUDA C"), maxName, "the name of a file with CUDA C")
	if v, ok := o.fields["checks"]; ok {
		f.Checks = r.checks(v)
	}
	if v, ok := o.fields["measures"]; ok {
		f.Unmeasured = !r.truth(v)
	}
	if v, ok := o.fields["limits"]; ok {
		limits := r.object(v, "limits", "instructions", "seconds")
		if v, ok := limits.fields["instructions"]; ok {
			f.Instructions = r.integer(v, 1, math.MaxInt64, "how many instructions a launch may execute")
		}
		if v, ok := limits.fields["seconds"]; ok {
			f.Seconds = r.seconds(v)
		}
	}
	return f
}

func (r *reader) seconds(v value) float64 {
	text := r.written(v)
	if r.err != nil {
		return 0
	}
	data, reason := F64.read(nil, text)
	if reason == "" {
		if x, _ := F64.Float(data); x > 0 && x <= maxSeconds {
			return x
		}
	}
	r.fail(v.path, "is %s: write a number above 0, and at most %d", clip(text), maxSeconds)
	return 0
}

// checks reads which checks are on.
func (r *reader) checks(v value) []launch.ReportKind {
	kind := func(path, name string) launch.ReportKind {
		if !slices.Contains(launch.ReportKinds, launch.ReportKind(name)) {
			var names []string
			for _, k := range launch.ReportKinds {
				names = append(names, string(k))
			}
			r.fail(path, "%s is not a check: the checks are %s", clip(name), strings.Join(names, ", "))
		}
		return launch.ReportKind(name)
	}
	switch {
	case v.is('f'):
		return nil
	case v.is('['):
		var on []launch.ReportKind
		for _, item := range r.items(v, 64, "a list of checks") {
			on = append(on, kind(item.path, r.text(item, maxName, "the name of a check")))
		}
		return on
	case v.is('{'):
		on := slices.Clone(launch.ReportKinds)
		for _, f := range r.members(v, "checks") {
			k := kind(f.path, f.name)
			if !r.truth(f.value) {
				on = slices.DeleteFunc(on, func(x launch.ReportKind) bool { return x == k })
			}
		}
		return on
	case !v.is('t'):
		r.fail(v.path, `is %s: write true, false, a list of checks, or {"race": false}`, v.what())
	}
	return slices.Clone(launch.ReportKinds)
}

// launch reads one launch.
func (r *reader) launch(o object) *launch.Launch {
	l := &launch.Launch{}
	l.Kernel.Symbol = r.text(r.need(o, "kernel", "the name of a __global__ function"), maxName, "the name of a __global__ function")
	l.Grid = r.extent(r.need(o, "grid", "[x, y, z] in blocks"), "blocks")
	l.Block = r.extent(r.need(o, "block", "[x, y, z] in threads"), "threads")
	if v, ok := o.fields["shared_bytes"]; ok {
		l.SharedBytes = int(r.integer(v, 0, math.MaxInt32, "how many bytes of dynamic shared memory a block has"))
	}
	if v, ok := o.fields["args"]; ok {
		for i, item := range r.items(v, maxArgs, "a list of arguments") {
			l.Args = append(l.Args, r.arg(item, i))
		}
	}
	l.Constants = r.constants(o)
	return l
}

// extent reads [x], [x, y], [x, y, z] or x. What a device takes is less, and it
// says so.
func (r *reader) extent(v value, of string) launch.Dim3 {
	d := [3]int{1, 1, 1}
	read := func(v value, axis string) int {
		return int(r.integer(v, 0, math.MaxInt32, fmt.Sprintf("how many %s there are along %s", of, axis)))
	}
	switch {
	case r.err != nil:
	case v.is('0'):
		d[0] = read(v, "x")
	default:
		items := r.items(v, 3, "[x, y, z] in "+of)
		if len(items) == 0 {
			r.fail(v.path, "is empty: write [x, y, z] in %s", of)
		}
		for i, item := range items {
			d[i] = read(item, "xyz"[i:i+1])
		}
	}
	return launch.Dim3{X: d[0], Y: d[1], Z: d[2]}
}

// arg reads the argument of a number.
func (r *reader) arg(v value, number int) launch.Arg {
	a := launch.Arg{Name: fmt.Sprintf("arg%d", number)}
	m := r.member(v, a.Name, maxNested)
	a.Name = m.name
	if m.buffer != nil {
		a.Buffer = m.buffer
	} else {
		a.Value, a.Pointers = m.bytes, m.pointers
	}
	return a
}

// member is an argument, or a member of a struct.
type member struct {
	name     string
	buffer   *launch.Buffer
	bytes    []byte
	pointers []launch.Pointer
	align    int
}

const (
	pointerBytes = 8
	maxStruct    = 32 << 10 // CUDA has 4096 bytes for all arguments, and newer GPUs 32764
)

func (r *reader) member(v value, name string, deeper int) member {
	if r.err != nil {
		return member{}
	}
	if v.is('"') {
		return r.reference(v)
	}
	const what = "an argument"
	o := r.object(v, what, argFields...)
	own := func() string {
		if v, ok := o.fields["name"]; ok {
			return r.text(v, maxName, "a name")
		}
		return name
	}
	// only refuses fields that belong to another kind of argument.
	only := func(kind string, fields ...string) {
		for _, f := range argFields {
			if o.has(f) && !slices.Contains(fields, f) {
				r.fail(join(v.path, f), "does not go with %s: it has %s", kind, strings.Join(fields, ", "))
			}
		}
	}
	switch {
	case r.err != nil:
		return member{}
	case o.has("struct"):
		only("a struct", "name", "struct")
		m := r.structure(o.fields["struct"], name, deeper)
		m.name = own()
		return m
	case o.has("value"):
		only("a scalar", "name", "type", "value")
		t := r.typeOf(o)
		text := r.written(o.fields["value"])
		if r.err != nil {
			return member{}
		}
		bytes, reason := t.read(nil, text)
		if reason != "" {
			r.fail(join(v.path, "value"), "%s", reason)
		}
		return member{name: own(), bytes: bytes, align: t.Size()}
	case o.has("buffer"):
		only("a buffer that was described before", "name", "buffer")
		return r.reference(o.fields["buffer"])
	case !o.has("type") && len(o.fields) == 1 && o.has("name"):
		return r.reference(o.fields["name"])
	case !o.has("type") && !o.has("shape") && !o.has("values"):
		r.fail(v.path, `is no argument: write {"name", "type", "shape"} for a buffer, {"type", "value"} for a scalar, {"struct": […]} for a struct`)
		return member{}
	case !o.has("shape") && !o.has("values"):
		r.fail(v.path, "has neither a value nor a shape: write a value for a scalar, a shape for a buffer")
		return member{}
	}
	b := r.buffer(o, name)
	return member{name: b.Name, buffer: b.Memory}
}

// reference reads the name of a buffer that was described before.
func (r *reader) reference(v value) member {
	name := r.text(v, maxName, "the name of a buffer")
	if r.err != nil {
		return member{}
	}
	i, ok := r.named[name]
	if !ok {
		var names []string
		for _, b := range r.buffers {
			names = append(names, b.Name)
		}
		if len(names) == 0 {
			names = []string{"none"}
		}
		r.fail(v.path, "there is no buffer %s before: there is %s", clip(name), clip(strings.Join(names, ", ")))
		return member{}
	}
	return member{name: name, buffer: r.buffers[i].Memory}
}

// structure lays out a struct: every member at a multiple of its alignment, the
// whole a multiple of the largest.
func (r *reader) structure(v value, name string, deeper int) member {
	out := member{align: 1}
	if deeper == 0 {
		r.fail(v.path, "is the %dth struct within another, and %d is the most", maxNested+1, maxNested)
		return out
	}
	items := r.items(v, maxArgs, "a list of members")
	if len(items) == 0 {
		r.fail(v.path, "has no members: write at least one")
	}
	pad := func(align int) {
		for len(out.bytes)%align != 0 {
			out.bytes = append(out.bytes, 0)
		}
		out.align = max(out.align, align)
	}
	for i, item := range items {
		m := r.member(item, fmt.Sprintf("%s.%d", name, i), deeper-1)
		if r.err != nil {
			return out
		}
		if m.buffer != nil {
			pad(pointerBytes)
			out.pointers = append(out.pointers, launch.Pointer{Offset: len(out.bytes), Buffer: m.buffer})
			out.bytes = append(out.bytes, make([]byte, pointerBytes)...)
		} else {
			pad(m.align)
			for _, p := range m.pointers {
				p.Offset += len(out.bytes)
				out.pointers = append(out.pointers, p)
			}
			out.bytes = append(out.bytes, m.bytes...)
		}
		if len(out.bytes) > maxStruct {
			r.fail(v.path, "has more than %d bytes, and no kernel takes that: pass a buffer", maxStruct)
		}
	}
	pad(out.align)
	return out
}

func (r *reader) typeOf(o object) Type {
	v := r.need(o, "type", "f32, i32 or another type")
	name := r.text(v, maxName, "a type")
	if r.err != nil {
		return 0
	}
	t, reason := parseType(name)
	if reason != "" {
		r.fail(v.path, "%s", reason)
	}
	return t
}

// buffer reads a buffer, which is called name if it does not say.
func (r *reader) buffer(o object, name string) Buffer {
	none := Buffer{Memory: &launch.Buffer{}}
	if r.err != nil {
		return none
	}
	if v, ok := o.fields["name"]; ok || name == "" {
		if !ok {
			v = r.need(o, "name", "what arguments call the buffer")
		}
		name = r.text(v, maxName, "what arguments call the buffer")
	}
	if _, twice := r.named[name]; twice {
		r.fail(join(o.path, "name"), `there is a buffer %s before: write another name, or {"buffer": its name} for the same one`, clip(name))
	}
	if len(r.buffers) == maxBuffers {
		r.fail(o.path, "is one buffer more than %d, which is the most", maxBuffers)
	}
	b := Buffer{Name: name}
	if v, ok := o.fields["out"]; ok {
		b.Out = r.truth(v)
	}
	var data []byte
	var written bool
	b.Type, b.Shape, data, written = r.elements(o)
	if r.err != nil {
		return none
	}
	b.Memory = &launch.Buffer{Type: b.Type.C(), Data: data, Shape: b.Shape, Uninitialised: b.Out && !written}
	r.named[name] = len(r.buffers)
	r.buffers = append(r.buffers, b)
	return b
}

// elements reads type, shape and contents; written is false where nothing says
// what they are.
func (r *reader) elements(o object) (t Type, shape []int, data []byte, written bool) {
	t = r.typeOf(o)
	count := int64(-1)
	if v, ok := o.fields["shape"]; ok {
		shape, count = r.shape(v, t)
	}
	seed := splitMix(0)
	if v, ok := o.fields["seed"]; ok {
		text := r.written(v)
		if r.err != nil {
			return t, nil, nil, false
		}
		word, reason := U64.read(nil, text)
		if reason != "" {
			r.fail(v.path, "%s", reason)
			return t, nil, nil, false
		}
		seed = splitMix(U64.word(word))
	}
	fill := fills["zeros"]
	if v, ok := o.fields["fill"]; ok {
		written = true
		name := r.text(v, maxName, "zeros, ones, iota, random or nan")
		if fill, ok = fills[name]; !ok {
			r.fail(v.path, "%s is not a way to fill a buffer: write zeros, ones, iota, random or nan", clip(name))
		}
	}
	if r.err != nil {
		return t, nil, nil, false
	}
	if v, ok := o.fields["values"]; ok {
		data = r.values(v, t, count)
		if shape == nil {
			shape = []int{len(data) / t.Size()}
			r.claim(o.path, int64(len(data)))
		}
		return t, shape, data, true
	}
	if shape == nil {
		r.fail(join(o.path, "shape"), "is not there: write the extents, as in [4, 8]")
		return t, nil, nil, false
	}
	data = make([]byte, 0, int(count)*t.Size())
	for i := range int(count) {
		data = t.put(data, fill(t, i, &seed))
	}
	return t, shape, data, written
}

// shape reads extents, and claims the memory for them.
func (r *reader) shape(v value, t Type) (shape []int, count int64) {
	items := []value{v}
	if !v.is('0') {
		items = r.items(v, maxRank, "a list of extents, as in [4, 8]")
	}
	shape, count = []int{}, 1
	for _, item := range items {
		n := r.integer(item, 0, MaxMemory, "an extent")
		if n > 0 && count > MaxMemory/n {
			r.fail(v.path, "is more than the %d bytes that buffers have together", MaxMemory)
			return nil, 0
		}
		shape, count = append(shape, int(n)), count*n
	}
	r.claim(v.path, count*int64(t.Size()))
	return shape, count
}

func (r *reader) claim(path string, bytes int64) {
	if bytes > r.room {
		r.fail(path, "needs %d bytes, and %d are left for buffers: make them smaller", bytes, r.room)
		return
	}
	r.room -= bytes
}

// values reads a list of numbers, nested or not; count is how many there must
// be, -1 for any number.
func (r *reader) values(v value, t Type, count int64) []byte {
	if !v.is('[') {
		r.fail(v.path, "is %s: write a list of numbers", v.what())
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(v.raw))
	d.UseNumber()
	var out []byte
	n, depth := int64(0), 0
	for {
		token, err := d.Token()
		if err != nil {
			break // the end: the whole file is JSON
		}
		text := ""
		switch token := token.(type) {
		case json.Delim:
			switch token {
			case '[':
				depth++
			case ']':
				depth--
			default:
				r.fail(v.path, "has an object in it: write a list of numbers")
			}
			if depth > maxRank {
				r.fail(v.path, "has lists in lists %d deep, and %d is the most", depth, maxRank)
			}
			if r.err != nil {
				return nil
			}
			continue
		case json.Number:
			text = token.String()
		case string:
			text = token
		default:
			r.fail(fmt.Sprintf("%s[%d]", v.path, n), "is %v: write a number", token)
			return nil
		}
		if n == count || (count < 0 && int64(len(out)) >= r.room) {
			n++
			break
		}
		var reason string
		if out, reason = t.read(out, text); reason != "" {
			r.fail(fmt.Sprintf("%s[%d]", v.path, n), "%s", reason)
			return nil
		}
		n++
	}
	switch {
	case count < 0 && int64(len(out)) > r.room, count < 0 && n*int64(t.Size()) > r.room:
		r.fail(v.path, "needs more than the %d bytes that are left for buffers", r.room)
		return nil
	case n > count && count >= 0:
		r.fail(v.path, "has more than the %d numbers of the shape", count)
		return nil
	case n < count:
		r.fail(v.path, "has %d numbers, and the shape has %d", n, count)
		return nil
	}
	return out
}

// constants reads what variables are set to.
func (r *reader) constants(o object) []launch.Constant {
	v, ok := o.fields["constants"]
	if !ok || r.err != nil {
		return nil
	}
	var out []launch.Constant
	for _, f := range r.members(v, "constants: {NAME: {type, values}}") {
		c := launch.Constant{Name: f.name}
		o := r.object(f.value, "a constant", "type", "shape", "fill", "seed", "values", "value")
		if o.has("value") {
			t := r.typeOf(o)
			text := r.written(o.fields["value"])
			if r.err == nil {
				var reason string
				if c.Value, reason = t.read(nil, text); reason != "" {
					r.fail(join(f.path, "value"), "%s", reason)
				}
			}
		} else {
			_, _, c.Value, _ = r.elements(o)
		}
		if f.name == "" || len(f.name) > maxName {
			r.fail(v.path, "%s is not the name of a variable", clip(f.name))
		}
		if len(out) == maxBuffers {
			r.fail(v.path, "has more than %d variables, which is the most", maxBuffers)
		}
		if r.err != nil {
			return nil
		}
		out = append(out, c)
	}
	return out
}
