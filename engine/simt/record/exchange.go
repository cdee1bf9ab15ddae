package record

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/types"
)

// exchangeKinds are the names of exchanges, by their number in a record.
var exchangeKinds = []string{
	"shuffle", "shuffle up", "shuffle down", "shuffle xor", "vote any", "vote all", "vote uni", "ballot", "match any", "match all",
	"reduce add", "reduce min", "reduce max", "reduce and", "reduce or", "reduce xor",
}

// Exchanged takes down an exchange.
func (h *head) Exchanged(w *run.Warp, x *run.Exchanged) {
	if h.done {
		return
	}
	h.settle(w.Block)
	kind := slices.Index(exchangeKinds, x.Kind())
	if kind < 0 {
		panic("BUG: an exchange that has no name: " + x.Kind())
	}
	start := len(h.log)
	log := begin(h.log, recExchange, w.Index)
	log = le.AppendUint32(log, uint32(x.Instr.Position()))
	log = append(log, byte(kind), byte(x.Gives), byte(x.Gets))
	log = le.AppendUint32(log, x.Mask)
	lanes(x.Mask, func(lane int) { log = append(log, byte(x.From(lane))) })
	put := func(t types.Scalar, value func(lane int) uint64) {
		lanes(x.Mask, func(lane int) {
			var b [8]byte
			putBits(b[:], storedSize(t), value(lane))
			log = append(log, b[:storedSize(t)]...)
		})
	}
	put(x.Gives, x.Given)
	put(x.Gets, x.Got)
	h.log = log
	h.write(start)
}

// storedSize is the bytes of a value in an exchange's record.
func storedSize(t types.Scalar) int { return max(t.Size(), 1) }

// exchange shows one.
func (t *tape) exchange(rec []byte) launch.StepExchange {
	mask := le.Uint32(rec[11:])
	n := bits.OnesCount32(mask)
	out := launch.StepExchange{Place: t.place(code.Pos(le.Uint32(rec[4:]))), Kind: exchangeKinds[rec[8]], Lanes: mask}
	data := rec[exchBytes:length(rec)]
	if strings.HasPrefix(out.Kind, "shuffle") {
		for _, lane := range data[:n] {
			out.From = append(out.From, int(lane))
		}
	}
	data = data[n:]
	list := func(s types.Scalar) []string {
		of := access{t: s, count: 1, bytes: data}
		if s == types.Pred {
			of.t = types.U8
		}
		data = data[n*storedSize(s):]
		text := make([]string, n)
		for i := range text {
			text[i] = scalarText(s, of.bits(i, 0))
		}
		return text
	}
	out.Gives = list(types.Scalar(rec[9]))
	out.Gets = list(types.Scalar(rec[10]))
	if out.Kind == "ballot" || strings.HasPrefix(out.Kind, "match") {
		for i, text := range out.Gets { // lanes
			if x, err := strconv.ParseUint(text, 10, 32); err == nil {
				out.Gets[i] = fmt.Sprintf("%#x", x)
			}
		}
	}
	return out
}
