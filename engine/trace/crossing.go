package trace

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Stages of a request on its way to a device and back, in their order. A request
// that is empty has the last alone: no device is asked.
const (
	StagePack     = "pack"     // the host lays the operands out
	StageCopyIn   = "copy-in"  // they are copied to the device
	StageLaunch   = "launch"   // the device is told to begin
	StageComplete = "complete" // it has finished
	StageCopyOut  = "copy-out" // the result is copied back
)

// Crossing is where a request of the example "boundary" is when a step ends: what
// is in which memory, and what the device has counted. A device reports one count
// for a whole request; each part of it is shown from the stage on that it is of.
type Crossing struct {
	Request int    `json:"request"` // from 0
	Name    string `json:"name"`    // what is asked for: "A·B", "sums"
	Stage   string `json:"stage"`
	Crosses bool   `json:"crosses"` // something was counted for the request: never by the CPU, whose memory is the host's

	Host   []int `json:"host"`   // tensors of the request in host memory
	Device []int `json:"device"` // and in the device's

	Packed int64 `json:"packed"` // bytes of the packed operands
	Result int64 `json:"result"` // bytes of the result, once there is one

	Counted device.Stats `json:"counted"` // of this request
	Total   device.Stats `json:"total"`   // of the run
}

// crossing is a request while its stages are added to a trace.
type crossing struct {
	*boundary
	precision device.Precision
	name      string // what is asked for: "A·B", "sums"
	output    string // what the result is called
	verb      string // of a sentence about it: "is" or "are"
	inputs    []int  // tensors that it is made of
	packing   string // what packing does to them, in sentences
	dividing  string // what becomes of the sums of a mean, likewise
	empty     string // why no device is asked; nothing where one is
	objects   string // what is packed, in a sentence
	names     [2]string
	packed    [2]*tensor.Tensor
	facts     Step // what the step has at which the request is complete

	now Crossing
}

// follow makes the request and adds its stages.
func (c *crossing) follow(ctx context.Context, ask func() (*tensor.Tensor, error)) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	out, err := ask()
	if err != nil {
		return err
	}
	cost := c.meter.cost()
	c.now = Crossing{Request: c.count, Name: c.name, Crosses: cost != nil, Host: c.inputs, Device: []int{}}
	c.count++
	switch {
	case c.empty != "":
		c.never(out)
	case cost == nil:
		c.pack(fmt.Sprintf(" %s reads its operands where they are and needs no packed copy: this one is made for you to see what a GPU is sent.", c.trace.Device))
		c.stay(out)
	default:
		c.pack("")
		c.cross(out, *cost)
		c.total = c.total.Add(*cost)
	}
	return nil
}

// stage adds the step of a stage.
func (c *crossing) stage(stage string, s Step) {
	c.now.Stage, c.now.Total = stage, c.total.Add(c.now.Counted)
	now := c.now
	s.Phase, s.Section, s.Crossing = PhaseForward, fmt.Sprintf("request %d, %s", now.Request, now.Name), &now
	if s.Op == "" {
		s.Op = stage
	}
	c.step(s)
}

// complete adds the step at which the answer is there.
func (c *crossing) complete(made int, title, note string) {
	s := c.facts
	s.Title, s.Note, s.Device = title, note, c.trace.Device
	s.Inputs, s.Outputs = c.inputs, []int{made}
	c.stage(StageComplete, s)
}

// made names the result.
func (c *crossing) made(out *tensor.Tensor) int {
	c.now.Result = int64(out.Len() * c.precision.Size())
	i := c.tensor(c.output, out)
	c.trace.Result = append(c.trace.Result, i)
	return i
}

// with returns a list with one more: the lists of earlier steps stay as they are.
func with(list []int, more ...int) []int { return slices.Concat(list, more) }

// never adds the one step of a request that no device is asked for.
func (c *crossing) never(out *tensor.Tensor) {
	made := c.made(out)
	c.now.Host = with(c.now.Host, made)
	s := c.facts
	s.Device, s.Inputs, s.Outputs = Host, c.inputs, []int{made}
	s.Title = fmt.Sprintf("Request %d, %s, is never made: the answer is known without it.", c.now.Request, c.name)
	s.Note = c.empty + " No device is asked, and nothing is counted."
	c.stage(StageCopyOut, s)
}

// pack adds the packed operands, with the bytes that they are.
func (c *crossing) pack(note string) {
	var packed []int
	var sizes [2]int
	for i, t := range c.packed {
		size := c.precision.Size()
		sizes[i] = t.Len() * size
		shown := Tensor{Name: c.names[i], Shape: t.Shape(), Values: t.Data()}
		if t.Len() <= MaxByteElements {
			bytes := c.precision.AppendBytes(nil, t.Data())
			for element := range slices.Chunk(bytes, size) {
				shown.Bytes = append(shown.Bytes, hex.EncodeToString(element))
			}
		}
		packed = append(packed, len(c.trace.Tensors))
		c.trace.Tensors = append(c.trace.Tensors, shown)
	}
	c.now.Packed = int64(sizes[0] + sizes[1])
	c.now.Host = with(c.now.Host, packed...)
	c.stage(StagePack, Step{
		Device: Host, Inputs: c.inputs, Outputs: packed,
		Title: fmt.Sprintf("Request %d, %s: the host packs %s, %d + %d = %d bytes.", c.now.Request, c.name, c.objects, sizes[0], sizes[1], c.now.Packed),
		Note:  c.packing + note,
	})
}

// sent are the packed operands.
func (c *crossing) sent() []int { return c.now.Host[len(c.inputs):] }

// who is the device in a sentence.
func (c *crossing) who() string {
	if c.emulated {
		return "the emulator"
	}
	return c.trace.Device
}

// cross adds the stages on a device with a memory of its own.
func (c *crossing) cross(out *tensor.Tensor, cost device.Stats) {
	sent := with(c.sent())
	c.now.Device = sent
	c.now.Counted.BytesIn, c.now.Counted.CopyInNS = cost.BytesIn, cost.CopyInNS
	note := "The call returns when the host may use its own copy again, and the host’s clock says how long it took."
	if c.emulated {
		note = "That is a part of host memory which only its kernels see, so no bus is crossed. The bytes are copied all the same, and the host’s clock says how long it took."
	}
	c.stage(StageCopyIn, Step{
		Device: c.trace.Device, Inputs: sent,
		Title: fmt.Sprintf("%s are copied into the memory of %s.", plural(int(cost.BytesIn), "byte"), c.who()),
		Note:  note,
	})

	c.now.Counted.Launches = cost.Launches
	title, note := "A kernel is launched, and the host goes on at once.", ""
	switch {
	case c.emulated:
		title = "A kernel is launched, and the host’s own processors run it."
	case c.library:
		title, note = "cuBLAS is asked for the product, and the host goes on at once.", "It launches kernels of its own, which are not seen and count as one. "
	case cost.Launches != 1:
		title = fmt.Sprintf("%s are launched, and the host goes on at once.", plural(int(cost.Launches), "kernel"))
	}
	note += "Room for the result is set aside in the device’s memory, with nothing in it yet. "
	if c.emulated {
		note += "The call returns when the last thread has ended. On a GPU a launch is an order and not an answer: it returns before the work is done."
	} else {
		note += "A launch is an order and not an answer: it returns before the work is done."
	}
	c.stage(StageLaunch, Step{Device: c.trace.Device, Inputs: sent, Title: title, Note: note})

	made := c.made(out)
	c.now.Device = with(sent, made)
	c.now.Counted.KernelNS = cost.KernelNS
	subject := c.trace.Device
	note = "The host has waited for this. Two events, which the device records before and after the work, say how long it took."
	if c.emulated {
		subject = "The emulator"
		note = "The host was busy with this itself, and its clock says how long it took. Nothing follows from that for a GPU."
	}
	if c.dividing != "" {
		note = c.dividing + " " + note
	}
	c.complete(made, fmt.Sprintf("%s has finished: %s %s in its memory.", subject, c.output, c.verb), note)

	c.now.Host = with(c.now.Host, made)
	c.now.Counted = cost
	c.stage(StageCopyOut, Step{
		Device: c.trace.Device, Inputs: []int{made}, Outputs: []int{made}, Stats: &cost,
		Title: fmt.Sprintf("%s are copied back: %s %s in host memory.", plural(int(cost.BytesOut), "byte"), c.output, c.verb),
		Note:  "Only now is the request complete for the host, and counted.",
	})
}

// stay adds the stages on a device that works in host memory.
func (c *crossing) stay(out *tensor.Tensor) {
	c.stage(StageCopyIn, Step{
		Device: Host, Inputs: c.inputs,
		Title: fmt.Sprintf("Nothing is copied in: %s works in host memory.", c.trace.Device),
		Note:  "The packed bytes would cross to a GPU here.",
	})
	c.stage(StageLaunch, Step{
		Device: Host, Inputs: c.inputs,
		Title: fmt.Sprintf("Nothing is launched: %s is called, and the call returns with the answer.", c.trace.Device),
		Note:  "The host does not go on meanwhile, and has nothing to wait for afterwards.",
	})
	made := c.made(out)
	c.now.Host = with(c.now.Host, made)
	c.complete(made, fmt.Sprintf("%s has finished: %s %s in host memory.", c.trace.Device, c.output, c.verb), c.dividing)
	c.stage(StageCopyOut, Step{
		Device: Host, Inputs: []int{made}, Outputs: []int{made},
		Title: fmt.Sprintf("Nothing is copied back: %s %s in host memory already.", c.output, c.verb),
		Note:  fmt.Sprintf("%s counts nothing. All its counters stay at zero, since no byte went to another memory.", c.trace.Device),
	})
}
