package cpu

import (
	"fmt"
	"os"
	"strings"

	"workbench/engine/device"
)

// TiersVariable names the environment variable that says which tiers an opened
// device may use: a list of names separated by commas. It is how each of them
// is tested and measured on one machine.
//
//	reference  the plain triple loop of the contract
//	portable   tiles in Go
//	avx2       tiles of AVX2 and FMA instructions, on amd64
//	avx512     tiles of AVX-512 instructions, on amd64
//
// The device takes the fastest tier of the list that the processor has. Without
// the variable every tier may be used. The bits of a result are the same in
// all.
const TiersVariable = "COURSE_CPU_TIERS"

// tier is one way to compute the same bits. The reference has no tiles.
type tier struct {
	name    string
	float64 tile[float64]
	float32 tile[float32]
}

// tile is a kernel. It continues the chains of a tile of C, rows × columns, over
// k terms, in ascending order, each column of the tile on its own.
type tile[T float32 | float64] struct {
	rows, columns int

	separate, fused kernel[T]
}

// kernel is the inner loop under one contract, over k ≥ 1 terms:
//
//	a  the left side, packed: rows elements for each term
//	b  the right side: columns elements for each term, step elements apart
//	c  the tile: columns elements in each row, stride elements apart
//
// Each slice begins at its first element and has at least the last one.
type kernel[T float32 | float64] func(k int, a, b []T, step int, c []T, stride int)

func (t tile[T]) kernel(c device.Contract) kernel[T] {
	if c == device.Fused {
		return t.fused
	}
	return t.separate
}

var plain = &tier{name: "reference"}

// tierNames are all tiers that a list may name, whether this processor has them
// or not.
var tierNames = []string{"reference", "portable", "avx2", "avx512"}

// tiers returns what this processor has, slowest first.
func tiers() []*tier { return append([]*tier{plain, portable}, vectorTiers()...) }

// chooseTier returns the fastest tier of those in the list that this processor
// has. An empty list names all.
func chooseTier(spec device.Spec, list string) (*tier, error) {
	have := tiers()
	if strings.TrimSpace(list) == "" {
		return have[len(have)-1], nil
	}
	allowed := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		known := false
		for _, n := range tierNames {
			known = known || n == name
		}
		if !known {
			return nil, &device.UnavailableError{
				Spec:   spec,
				Reason: fmt.Sprintf("%s names a tier %q that is not one", TiersVariable, name),
				Next:   "set it to some of " + strings.Join(tierNames, ",") + ", or unset it",
			}
		}
		allowed[name] = true
	}
	for i := len(have) - 1; i >= 0; i-- {
		if allowed[have[i].name] {
			return have[i], nil
		}
	}
	names := make([]string, len(have))
	for i, t := range have {
		names[i] = t.name
	}
	return nil, &device.UnavailableError{
		Spec:   spec,
		Reason: fmt.Sprintf("%s is %q and this processor has none of these tiers", TiersVariable, list),
		Next:   "add one that it has (" + strings.Join(names, ", ") + "), or unset the variable",
	}
}

// configuredTier is chooseTier with the environment's list.
func configuredTier(spec device.Spec) (*tier, error) {
	return chooseTier(spec, os.Getenv(TiersVariable))
}
