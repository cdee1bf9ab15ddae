package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"workbench/engine"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/launchfile"
)

// emulateFlags are the flags of `workbench emulate`.
type emulateFlags struct {
	device string
	asJSON bool
}

func (p *program) emulateCommand(name string) *cobra.Command {
	var f emulateFlags
	cmd := &cobra.Command{
		Use:   "emulate LAUNCH.json",
		Short: "Run a kernel file of your own, check it and measure it",
		Long: "Run a kernel file of your own: CUDA C, with the grid, the arguments and what the\n" +
			"buffers hold written down in a JSON file. The emulator needs no GPU; it says what\n" +
			"is wrong with the kernel, such as a race or an access out of bounds, and counts\n" +
			"what it does. On a GPU the same file runs unchecked.\n\n" +
			"  {\"source\": \"scale.cu\", \"kernel\": \"scale\", \"grid\": [1], \"block\": [32],\n" +
			"   \"args\": [{\"name\": \"x\", \"type\": \"f32\", \"shape\": [4], \"fill\": \"iota\", \"out\": true},\n" +
			"            {\"name\": \"by\", \"type\": \"f32\", \"value\": 2.5},\n" +
			"            {\"name\": \"n\", \"type\": \"i32\", \"value\": 4}]}\n\n" +
			"The source is looked for beside the launch file. A buffer has a type (f16, bf16,\n" +
			"f32, f64, i8, u8 … i64, u64), a shape, and values or a fill: zeros, ones, iota,\n" +
			"random (with a seed) or nan; one that is out is printed at the end. An argument\n" +
			"can also be a scalar {\"type\", \"value\"}, a struct {\"struct\": [...]} whose\n" +
			"members may be buffers, or the name of a buffer before. Several launches, one\n" +
			"after the other in one memory, with a constant and instances of a template:\n\n" +
			"  {\"source\": \"sums.cu\",\n" +
			"   \"buffers\": [{\"name\": \"x\", \"type\": \"f32\", \"shape\": [1000], \"fill\": \"iota\"},\n" +
			"               {\"name\": \"partial\", \"type\": \"f32\", \"shape\": [4]},\n" +
			"               {\"name\": \"sum\", \"type\": \"f32\", \"shape\": [1], \"out\": true}],\n" +
			"   \"constants\": {\"weights\": {\"type\": \"f32\", \"values\": [0.5, 1]}},\n" +
			"   \"launches\": [{\"kernel\": \"reduce<256>\", \"grid\": [4], \"block\": [256],\n" +
			"                 \"args\": [{\"struct\": [\"x\", \"partial\", {\"type\": \"i32\", \"value\": 1000}]}]},\n" +
			"                {\"kernel\": \"reduce<4>\", \"grid\": [1], \"block\": [4],\n" +
			"                 \"args\": [{\"struct\": [\"partial\", \"sum\", {\"type\": \"i32\", \"value\": 4}]}]}],\n" +
			"   \"limits\": {\"instructions\": 1000000, \"seconds\": 10}}\n" +
			"\n" +
			"Further fields: shared_bytes, of a launch, and of the file\n\n" +
			"  checks     true, false, a list of those that are on, or {\"race\": false}\n" +
			"  measures   false counts nothing; without checks too it is many times faster\n" +
			"  limits     instructions of each launch, seconds of all together; a kernel that\n" +
			"             is ended by them is reported as an endless loop, with its line. Without\n" +
			"             them a launch may execute 33554432 instructions, each for a warp,\n" +
			"             between the ends of two of its blocks\n\n" +
			"Progress is written to a terminal, and Ctrl-C ends the run. What ends a launch\n" +
			"ends those behind it, and the last line says so. The exit status is 0 if nothing\n" +
			"is wrong, 1 if something is wrong with the kernel and was reported, and 2 if it\n" +
			"could not be run, or failed where nothing checks it.",
		Example: example(name, "emulate scale.json", "emulate scale.json --device cuda:0", "emulate scale.json --json"),
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 1:
				return nil
			case 0:
				return usagef("which launch? Write the name of a launch file, as in: %s emulate scale.json", name)
			}
			return usagef("%q is one argument too many: emulate takes one launch file", args[1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := p.emulate(cmd.Context(), args[0], f)
			var usage *usageError
			interrupted := errors.Is(err, context.Canceled) && cmd.Context().Err() != nil
			if err == nil || interrupted || errors.Is(err, errReported) || errors.As(err, &usage) {
				return err
			}
			return &statusError{statusUsage, err} // 1 is a report
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.device, "device", "emulator", "where it runs: emulator or cuda:0, then options after commas, as in cuda:0,fused")
	flags.BoolVar(&f.asJSON, "json", false, "print outputs, reports and measurements as JSON")
	libraryFlag(flags)
	return cmd
}

// emulated is what came of a launch file, as --json prints it.
type emulated struct {
	Device       string            `json:"device"`
	Outputs      map[string]output `json:"outputs"`
	Reports      []launch.Report   `json:"reports"`
	Measurements any               `json:"measurements"`
	Printed      string            `json:"printed"`
	Unrun        int               `json:"unrun,omitempty"` // launches behind one that ended before its time
	ElapsedMS    float64           `json:"elapsed_ms"`      // of all launches, with the copies
}

// output is a buffer whose elements are JSON's.
type output struct{ launchfile.Buffer }

func (o output) MarshalJSON() ([]byte, error) { return o.Type.AppendJSON(nil, o.Memory.Data), nil }

// unused is memory that nothing is written to, and that takes none for that
// reason. The collector counts it, so that it begins when there is as much again in use:
// most launches are over by then, and half of their time was the collector's.
const unused = 64 << 20

func (p *program) emulate(ctx context.Context, name string, f emulateFlags) error {
	defer runtime.KeepAlive(make([]byte, unused))
	spec, err := device.ParseSpec(f.device)
	if err != nil {
		return usagef("--device: %w", err)
	}
	if spec.Kind == device.CPU {
		return usagef("--device: %s runs no CUDA C: write emulator or cuda:0", spec)
	}
	file, err := p.readLaunch(name, spec.Contract)
	if err != nil {
		return err
	}
	on, done, err := p.launcher(ctx, spec, file)
	if err != nil {
		return err
	}
	defer done()

	limited := ctx
	if file.Seconds > 0 && spec.Kind != device.Emulator { // which says where it was
		var end context.CancelFunc
		limited, end = context.WithTimeout(ctx, seconds(file.Seconds))
		defer end()
	}
	waiting := p.startProgress("running " + name + " on " + f.device)
	clock := time.Now()
	results, err := file.Run(limited, on)
	elapsed := time.Since(clock)
	waiting.Done()
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = fmt.Errorf("it took longer than the %g seconds of limits.seconds: allow more, or make it smaller", file.Seconds)
	}
	if err != nil && len(results) == 0 {
		return err
	}

	e := emulated{
		Device: f.device, Outputs: map[string]output{}, Reports: []launch.Report{},
		ElapsedMS: float64(elapsed.Microseconds()) / 1000,
		Unrun:     len(file.Launches) - len(results),
	}
	var measured []*launch.Measurement
	var printed strings.Builder
	for _, r := range results {
		e.Reports = append(e.Reports, r.Reports...)
		if r.Measurement != nil {
			measured = append(measured, r.Measurement)
		}
		printed.WriteString(r.Output)
		if r.Log != "" {
			fmt.Fprintln(p.stderr, strings.TrimSpace(r.Log))
		}
	}
	e.Printed = printed.String()
	e.Measurements = measurements(measured)
	for _, b := range file.Buffers {
		if b.Out {
			e.Outputs[b.Name] = output{b}
		}
	}
	write := func() error { return e.write(p.stdout, file, measured) }
	if f.asJSON {
		write = func() error { return p.writeJSON(e) }
	}
	if failed := write(); failed != nil || err != nil {
		return cmp.Or(err, failed)
	}
	if len(e.Reports) > 0 {
		return errReported
	}
	return nil
}

// launcher opens what runs a launch file. The caller must call done.
func (p *program) launcher(ctx context.Context, spec device.Spec, file *launchfile.File) (on launch.Launcher, done func(), err error) {
	if spec.Kind == device.Emulator {
		var unchecked []launch.ReportKind
		for _, kind := range launch.ReportKinds {
			if !slices.Contains(file.Checks, kind) {
				unchecked = append(unchecked, kind)
			}
		}
		return engine.Emulator(launch.Watch{
			Unchecked: unchecked, Unmeasured: file.Unmeasured, Instructions: file.Instructions, Seconds: file.Seconds,
		}), func() {}, nil
	}
	d, err := p.openDevice(ctx, "--device", spec.String())
	if err != nil {
		return nil, nil, err
	}
	on, ok := d.(launch.Launcher)
	if !ok {
		d.Close()
		return nil, nil, fmt.Errorf("--device: %s runs no kernels of your own", spec)
	}
	return on, func() { d.Close() }, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// measurements is an object in every case: that of the one launch, a list of
// several, and nothing where nobody measured.
func measurements(list []*launch.Measurement) any {
	switch len(list) {
	case 0:
		return struct{}{}
	case 1:
		return list[0]
	}
	return map[string]any{"launches": list}
}

// readLaunch reads a launch file and its source; - is standard input, with the
// source in the current folder.
func (p *program) readLaunch(name string, contract device.Contract) (*launchfile.File, error) {
	data, err := p.readAtMost(name, launchfile.MaxFile)
	if err != nil {
		return nil, err
	}
	file, err := launchfile.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	source := filepath.FromSlash(file.Source)
	if !filepath.IsAbs(source) && name != "-" {
		source = filepath.Join(filepath.Dir(name), source)
	}
	text, err := readFileAtMost(source, launchfile.MaxSource)
	if err != nil {
		return nil, fmt.Errorf("%s: source: %w", name, err)
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: source: %s is no text in UTF-8", name, source)
	}
	file.SetSource(string(text), contract)
	return file, nil
}

func (p *program) readAtMost(name string, most int) ([]byte, error) {
	if name == "-" {
		return atMost(p.stdin, "standard input", most)
	}
	return readFileAtMost(name, most)
}

func readFileAtMost(name string, most int) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return atMost(file, name, most)
}

func atMost(from io.Reader, name string, most int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, int64(most)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > most {
		return nil, fmt.Errorf("%s has more than %d bytes, which is the most", name, most)
	}
	return data, nil
}

// write prints what a person wants to see: what is wrong, what was printed, what
// came out, and what it took.
func (e *emulated) write(to io.Writer, file *launchfile.File, measured []*launch.Measurement) error {
	var b strings.Builder
	for i := range e.Reports {
		b.WriteString(e.Reports[i].Text())
		b.WriteByte('\n')
	}
	if e.Printed != "" {
		b.WriteString(e.Printed)
		if !strings.HasSuffix(e.Printed, "\n") {
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	for _, buffer := range file.Buffers {
		if buffer.Out {
			writeBuffer(&b, buffer)
			b.WriteByte('\n')
		}
	}
	for _, m := range measured {
		b.WriteString(m.Text())
		b.WriteByte('\n')
	}
	launches := "1 launch"
	switch all := len(file.Launches); {
	case e.Unrun > 0:
		launches = fmt.Sprintf("launch %d of %d ended before its time, so that %s behind it did not run: %s", all-e.Unrun, all, count(e.Unrun, "launch", "launches"), count(all-e.Unrun, "launch", "launches"))
	case all > 1:
		launches = fmt.Sprintf("%d launches", all)
	}
	fmt.Fprintf(&b, "%s on %s in %.3f ms", launches, e.Device, e.ElapsedMS)
	switch n := len(e.Reports); n {
	case 0:
		b.WriteByte('\n')
	case 1:
		b.WriteString(", 1 report\n")
	default:
		fmt.Fprintf(&b, ", %d reports\n", n)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// count writes 1 launch, or 3 launches.
func count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// What a table shows of a buffer; --json has all of it.
const (
	shownRows    = 16
	shownColumns = 10
)

// writeBuffer writes a buffer as a table: of one extent as lines of shownColumns
// elements, of several as rows of the last.
func writeBuffer(b *strings.Builder, buffer launchfile.Buffer) {
	size := buffer.Type.Size()
	elements := len(buffer.Memory.Data) / size
	columns, outer := shownColumns, []int(nil)
	if rank := len(buffer.Shape); rank > 1 {
		columns, outer = buffer.Shape[rank-1], buffer.Shape[:rank-1]
	}
	fmt.Fprintf(b, "%s: %s %v\n", buffer.Name, buffer.Type, buffer.Shape)
	if elements == 0 {
		return
	}
	rows := (elements + columns - 1) / columns
	shown := min(columns, shownColumns)
	var table [][]string
	for row := range min(rows, shownRows) {
		line := []string{rowLabel(row, columns, outer)}
		for column := range min(shown, elements-row*columns) {
			line = append(line, buffer.Type.Format(buffer.Memory.Data[(row*columns+column)*size:]))
		}
		if shown < columns {
			line = append(line, "…")
		}
		table = append(table, line)
	}
	widths := make([]int, shown+2)
	for _, line := range table {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range table {
		for i, cell := range line {
			fmt.Fprintf(b, "  %*s", widths[i], cell)
		}
		b.WriteByte('\n')
	}
	if rows > shownRows {
		fmt.Fprintf(b, "  … %d elements in all; --json has every one\n", elements)
	}
}

// rowLabel says where a row begins: the number of its first element, or the
// indices of the extents before the last.
func rowLabel(row, columns int, outer []int) string {
	if outer == nil {
		return fmt.Sprintf("[%d]", row*columns)
	}
	label := ""
	for i := len(outer) - 1; i >= 0; i-- {
		label = fmt.Sprintf("[%d]", row%outer[i]) + label
		row /= outer[i]
	}
	return label
}
