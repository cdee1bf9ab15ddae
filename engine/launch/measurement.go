package launch

import (
	"fmt"
	"strings"
)

// Measurement is what a launch did, counted while it ran: not time, but what
// time comes from. A warp is 32 lanes that execute one instruction together; an
// instruction here is one of the register code, not of a GPU's own.
type Measurement struct {
	Kernel  string `json:"kernel"`
	Blocks  int64  `json:"blocks"`
	Threads int64  `json:"threads"`
	Warps   int64  `json:"warps"`

	Counts

	InstructionsPerWarp float64 `json:"instructions_per_warp"`
	LaneEfficiency      float64 `json:"lane_efficiency"`      // of 32 lanes, the part that an instruction had on average: 1 without divergence in whole warps
	ArithmeticIntensity float64 `json:"arithmetic_intensity"` // floating-point operations per byte of the sectors that were moved; 0 where none were

	// Of loads, stores and atomics in global memory.
	SectorsPerRequest      float64 `json:"sectors_per_request"`
	TransactionsPerRequest float64 `json:"transactions_per_request"`

	Lines   []LineCounts  `json:"lines"`   // by file and line
	Buffers []ArrayCounts `json:"buffers"` // global memory, in the order of first use
	Shared  []ArrayCounts `json:"shared"`  // shared arrays, likewise
}

// Counts are the figures of a whole launch or of one source line.
type Counts struct {
	Instructions     int64 `json:"instructions"`      // each warp's
	LaneInstructions int64 `json:"lane_instructions"` // each lane's

	Branches int64 `json:"branches"` // a warp at an if or at a loop's test
	Diverged int64 `json:"diverged"` // of those, lanes went both ways

	// An addition, subtraction, multiplication or division of floats is one
	// operation for each lane, a*b + c two. Special are the calls of sqrt, exp and
	// the like, which are not among them.
	Flops   int64 `json:"flops"`
	Special int64 `json:"special"`

	Barriers int64 `json:"barriers"` // a warp at __syncthreads

	Loads   Traffic `json:"loads"` // of global memory
	Stores  Traffic `json:"stores"`
	Atomics Traffic `json:"atomics"`

	SharedLoads   Banked `json:"shared_loads"`
	SharedStores  Banked `json:"shared_stores"`
	SharedAtomics Banked `json:"shared_atomics"`
}

// Traffic is what accesses to global memory move. One instruction of one warp is
// a request; it moves whole sectors, aligned pieces of 32 bytes, however few of
// their bytes the lanes want.
type Traffic struct {
	Requests     int64 `json:"requests"`
	Lanes        int64 `json:"lanes"`        // lanes that took part
	Bytes        int64 `json:"bytes"`        // that they asked for, each lane's counted
	Distinct     int64 `json:"distinct"`     // bytes that they asked for, each counted once in a request
	Sectors      int64 `json:"sectors"`      // of 32 bytes
	Transactions int64 `json:"transactions"` // aligned lines of 128 bytes that a request touches
}

// Add adds other's figures.
func (t *Traffic) Add(other Traffic) {
	t.Requests += other.Requests
	t.Lanes += other.Lanes
	t.Bytes += other.Bytes
	t.Distinct += other.Distinct
	t.Sectors += other.Sectors
	t.Transactions += other.Transactions
}

// Banked is what accesses to shared memory cost. It has 32 banks of 4 bytes,
// and word i of it is in bank i mod 32. A request of a warp with up to 4 bytes
// per lane is one phase, one of 8 bytes two (half a warp each), one of 16 bytes
// four; a phase takes as many turns as one bank has different words to give.
// Lanes that want the same word share it, but for atomics, which take it one
// after another.
type Banked struct {
	Requests  int64 `json:"requests"`
	Lanes     int64 `json:"lanes"`
	Bytes     int64 `json:"bytes"`
	Turns     int64 `json:"turns"`
	Conflicts int64 `json:"conflicts"` // turns beyond one for each phase
}

// Add adds other's figures.
func (b *Banked) Add(other Banked) {
	b.Requests += other.Requests
	b.Lanes += other.Lanes
	b.Bytes += other.Bytes
	b.Turns += other.Turns
	b.Conflicts += other.Conflicts
}

// Add adds other's figures.
func (c *Counts) Add(other Counts) {
	c.Instructions += other.Instructions
	c.LaneInstructions += other.LaneInstructions
	c.Branches += other.Branches
	c.Diverged += other.Diverged
	c.Flops += other.Flops
	c.Special += other.Special
	c.Barriers += other.Barriers
	c.Loads.Add(other.Loads)
	c.Stores.Add(other.Stores)
	c.Atomics.Add(other.Atomics)
	c.SharedLoads.Add(other.SharedLoads)
	c.SharedStores.Add(other.SharedStores)
	c.SharedAtomics.Add(other.SharedAtomics)
}

// LineCounts are the figures of one source line.
type LineCounts struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Counts
}

// ArrayCounts say how the values of one array were used. An element is one of
// the array's own type, whatever the width of the accesses.
type ArrayCounts struct {
	Name     string `json:"name"`
	Element  string `json:"element"` // C's name of its type
	Elements int64  `json:"elements"`

	Loaded  int64 `json:"loaded"`  // elements that were loaded at least once
	Loads   int64 `json:"loads"`   // of elements by lanes
	Fetches int64 `json:"fetches"` // of elements by requests: lanes of a warp that want the same one in the same instruction fetch it once
	Shares  int64 `json:"shares"`  // pairs of an element and a block that loaded it
	Most    int64 `json:"most"`    // loads of the element that was loaded most often
	Stored  int64 `json:"stored"`  // elements that were stored at least once
	Stores  int64 `json:"stores"`  // of elements by lanes
	Atomics int64 `json:"atomics"` // of elements by lanes

	// How often an element was loaded on average, of those that were.
	LoadsPerElement   float64 `json:"loads_per_element"`
	FetchesPerElement float64 `json:"fetches_per_element"`
	LoadsPerBlock     float64 `json:"loads_per_block"` // within a block that loads it: 1 where each value is loaded once per block
}

// Text writes the measurement as tables.
func (m *Measurement) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d blocks, %d threads, %d warps\n", m.Kernel, m.Blocks, m.Threads, m.Warps)
	fmt.Fprintf(&b, "  instructions  %.1f per warp, %d in all; %.1f%% of the lanes were active\n", m.InstructionsPerWarp, m.Instructions, 100*m.LaneEfficiency)
	fmt.Fprintf(&b, "  branches      %d, of which %d diverged\n", m.Branches, m.Diverged)
	fmt.Fprintf(&b, "  barriers      %d arrivals of a warp\n", m.Barriers)
	fmt.Fprintf(&b, "  arithmetic    %d floating-point operations, %d special functions; %.3g operations per byte moved\n", m.Flops, m.Special, m.ArithmeticIntensity)
	for _, row := range []struct {
		name string
		Traffic
	}{{"loads", m.Loads}, {"stores", m.Stores}, {"atomics", m.Atomics}} {
		if row.Requests > 0 {
			fmt.Fprintf(&b, "  global %-8s %d requests, %d sectors (%.2f per request), %d lines (%.2f); %.0f%% of the bytes moved were asked for\n",
				row.name, row.Requests, row.Sectors, ratio(row.Sectors, row.Requests), row.Transactions, ratio(row.Transactions, row.Requests), 100*ratio(row.Distinct, 32*row.Sectors))
		}
	}
	for _, row := range []struct {
		name string
		Banked
	}{{"loads", m.SharedLoads}, {"stores", m.SharedStores}, {"atomics", m.SharedAtomics}} {
		if row.Requests > 0 {
			fmt.Fprintf(&b, "  shared %-8s %d requests, %d turns, %d of them bank conflicts\n", row.name, row.Requests, row.Turns, row.Conflicts)
		}
	}
	for _, a := range m.Buffers {
		fmt.Fprintf(&b, "  %s: %d elements", a.Name, a.Elements)
		if a.Loaded > 0 {
			each := "each value is loaded"
			if a.Loaded < a.Elements {
				each = fmt.Sprintf("%d are loaded, each", a.Loaded)
			}
			fmt.Fprintf(&b, "; %s %s per block that uses it, %s in all, by %s", each, times(a.LoadsPerBlock), times(a.LoadsPerElement), counted(a.FetchesPerElement, "request"))
		}
		stored(&b, a)
	}
	for _, a := range m.Shared {
		fmt.Fprintf(&b, "  %s: %d elements in shared memory", a.Name, a.Elements)
		if a.Loads > 0 && a.Stores > 0 {
			fmt.Fprintf(&b, "; each value that is stored is loaded %s, by %s", times(ratio(a.Loads, a.Stores)), counted(ratio(a.Fetches, a.Stores), "request"))
		}
		stored(&b, a)
	}
	return b.String()
}

func stored(b *strings.Builder, a ArrayCounts) {
	if a.Stored > 0 {
		fmt.Fprintf(b, "; %d stores", a.Stores)
	}
	if a.Atomics > 0 {
		fmt.Fprintf(b, "; %d atomics", a.Atomics)
	}
	b.WriteByte('\n')
}

func times(x float64) string {
	if x == 1 {
		return "once"
	}
	return fmt.Sprintf("%.4g times", x)
}

func counted(x float64, what string) string {
	if x == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%.4g %ss", x, what)
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
