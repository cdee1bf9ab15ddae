package kernels_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt"
	"workbench/kernels"
	"workbench/kernels/add"
	"workbench/kernels/embedding"
	"workbench/kernels/matmul"
	"workbench/kernels/rmsnorm"
	"workbench/kernels/softmax"
	"workbench/kernels/sumsq"
)

// emulator measures the launches of these tests.
var emulator = &simt.Emulator{}

func measured(t *testing.T, l *launch.Launch, err error) *launch.Measurement {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := emulator.Launch(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	return r.Measurement
}

// array returns the counts of an array.
func array(t *testing.T, m *launch.Measurement, name string) launch.ArrayCounts {
	t.Helper()
	i := slices.IndexFunc(m.Buffers, func(a launch.ArrayCounts) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("%s has no array %s", m.Kernel, name)
	}
	return m.Buffers[i]
}

// value computes a formula of a card: sums of products, "2·n + 255·1024".
func value(formula string, letters map[string]int64) (int64, error) {
	sum := int64(0)
	for term := range strings.SplitSeq(formula, " + ") {
		over, by, divided := strings.Cut(term, "/")
		product := int64(1)
		for factor := range strings.SplitSeq(over, "·") {
			n, known := letters[factor]
			if !known {
				var err error
				if n, err = strconv.ParseInt(factor, 10, 64); err != nil {
					return 0, fmt.Errorf("%q of %q is no number and none of %v", factor, formula, slices.Sorted(maps.Keys(letters)))
				}
			}
			product *= n
		}
		if divided {
			d, err := strconv.ParseInt(by, 10, 64)
			if err != nil || product%d != 0 {
				return 0, fmt.Errorf("%q of %q is no whole number with %v", term, formula, letters)
			}
			product /= d
		}
		sum += product
	}
	return sum, nil
}

// claims reads "4·R·C operations, 32·R square roots": by what is counted.
func claims(said string, letters map[string]int64) (map[string]int64, error) {
	out := map[string]int64{}
	for claim := range strings.SplitSeq(said, ", ") {
		// A formula ends with its last digit or capital, or with n.
		words := strings.Split(claim, " ")
		at := slices.IndexFunc(words, func(w string) bool {
			return w != "+" && w != "n" && !strings.ContainsAny(w, "·/") && strings.Trim(w, "0123456789") != ""
		})
		if at < 1 {
			return nil, fmt.Errorf("%q is not a formula and what it counts", claim)
		}
		n, err := value(strings.Join(words[:at], " "), letters)
		if err != nil {
			return nil, err
		}
		out[strings.Join(words[at:], " ")] = n
	}
	return out, nil
}

// What a card says of work and traffic is what the emulator counts, for every
// kernel, to the last operation.
func TestMeasuredCards(t *testing.T) {
	type sized struct {
		letters map[string]int64
		prepare func(p device.Precision) (*launch.Launch, error)
	}
	of := func(p device.Precision, n int64) launch.Buffer {
		return launch.Buffer{Type: launch.Element(p), Data: make([]byte, n*int64(p.Size()))}
	}
	sizes := map[string][]sized{}
	for _, n := range []int64{1, 300, 3 * 1024} {
		l := map[string]int64{"n": n}
		sizes[add.Source.Name] = append(sizes[add.Source.Name], sized{l, func(p device.Precision) (*launch.Launch, error) {
			return add.Prepare(device.Fused, p, n, of(p, n), of(p, n), of(p, n))
		}})
		sizes[sumsq.Source.Name] = append(sizes[sumsq.Source.Name], sized{l, func(p device.Precision) (*launch.Launch, error) {
			return sumsq.Prepare(device.Fused, p, n, of(p, n), of(p, sumsq.Blocks))
		}})
	}
	for _, s := range [][2]int64{{1, 1}, {5, 33}, {17, 64}, {64, 7}} {
		r, c := s[0], s[1]
		l := map[string]int64{"R": r, "C": c}
		sizes[softmax.Source.Name] = append(sizes[softmax.Source.Name], sized{l, func(p device.Precision) (*launch.Launch, error) {
			return softmax.Prepare(device.Fused, p, r, c, of(p, r*c), of(p, r*c))
		}})
		sizes[rmsnorm.Source.Name] = append(sizes[rmsnorm.Source.Name], sized{l, func(p device.Precision) (*launch.Launch, error) {
			return rmsnorm.Prepare(device.Fused, p, rmsnorm.Params{Rows: r, Columns: c, Epsilon: 1}, of(p, r*c), of(p, c), of(p, r*c))
		}})
	}
	for _, v := range matmul.Versions {
		// Every version's tiles are full; the last of the terms need not be.
		for _, s := range [][4]int64{{1, 64, 32, 64}, {1, 64, 19, 128}, {2, 128, 5, 64}} {
			b, m, k, n := s[0], s[1], s[2], s[3]
			l := map[string]int64{"B": b, "M": m, "K": k, "N": n}
			sizes[v.Source().Name] = append(sizes[v.Source().Name], sized{l, func(p device.Precision) (*launch.Launch, error) {
				return v.Prepare(device.Fused, p, matmul.Packed(int(b), int(m), int(k), int(n)), of(p, b*m*k), of(p, b*k*n), of(p, b*m*n))
			}})
		}
	}
	for _, text := range [][]int32{{7, 3, 7, 9, 3, 7}, {0}, {1, 2, 3, 4}} {
		for _, columns := range []int64{1, 5, 64} {
			const tokens = 11
			positions := int64(len(text))
			different := map[int32]bool{}
			for _, token := range text {
				different[token] = true
			}
			l := map[string]int64{"P": positions, "C": columns, "D": int64(len(different))}
			sizes[embedding.AtomicSource.Name] = append(sizes[embedding.AtomicSource.Name], sized{l, func(p device.Precision) (*launch.Launch, error) {
				return embedding.Atomic(device.Fused, p, text, tokens, int(columns), of(p, positions*columns), of(p, tokens*columns))
			}})
			sizes[embedding.SortedSource.Name] = append(sizes[embedding.SortedSource.Name], sized{l, func(p device.Precision) (*launch.Launch, error) {
				return embedding.Sorted(device.Fused, p, text, tokens, int(columns), of(p, positions*columns), of(p, tokens*columns))
			}})
		}
	}

	for _, topic := range kernels.Catalogue() {
		if len(sizes[topic.File]) == 0 {
			t.Errorf("%s is not measured", topic.File)
		}
		for _, s := range sizes[topic.File] {
			work, err := claims(topic.Card.Work, s.letters)
			if err != nil {
				t.Fatalf("%s: %v", topic.File, err)
			}
			traffic, err := claims(topic.Card.Traffic, s.letters)
			if err != nil {
				t.Fatalf("%s: %v", topic.File, err)
			}
			for _, p := range device.Precisions {
				l, err := s.prepare(p)
				if err != nil && (p == device.Float16 || p == device.BFloat16) {
					continue // only one version multiplies them
				}
				m := measured(t, l, err)
				got := map[string]int64{"operations": m.Flops, "additions": m.Flops, "elements": 0, "exponentials": m.Special, "square roots": m.Special}
				for _, a := range m.Buffers {
					if a.Element != "int" {
						got["elements"] += a.Loads + a.Stores + 2*a.Atomics // which read and write
					}
				}
				for _, list := range []map[string]int64{work, traffic} {
					for what, n := range list {
						if count, known := got[what]; !known || count != n {
							t.Errorf("%s with %v: the catalogue says %d %s, and %d were executed", l.Kernel.Symbol, s.letters, n, what, count)
						}
					}
				}
				if m.Special > 0 && len(work) == 1 {
					t.Errorf("%s computes %d elementary functions, of which the catalogue says nothing", l.Kernel.Symbol, m.Special)
				}
			}
		}
	}
}

// A block of the tiled versions fetches each element that it needs once, where the
// first version's threads each fetch it: how often an element is loaded falls from
// the columns, or rows, of out to their tiles.
func TestMeasuredTiles(t *testing.T) {
	ceil := func(n, by int64) int64 { return (n + by - 1) / by }
	for _, s := range [][3]int64{{64, 48, 128}, {17, 33, 9}, {5, 129, 31}, {1, 1, 1}, {67, 23, 71}} {
		m, k, n := s[0], s[1], s[2]
		for _, v := range matmul.Versions {
			tile := map[matmul.Version]int64{matmul.Naive: 1, matmul.Tiled: 16, matmul.Blocked: 64}[v]
			for _, p := range []device.Precision{device.Float32, device.Float64} {
				buffer := func(n int64) launch.Buffer {
					return launch.Buffer{Type: launch.Element(p), Data: make([]byte, n*int64(p.Size()))}
				}
				l, err := v.Prepare(device.Separate, p, matmul.Packed(1, int(m), int(k), int(n)), buffer(m*k), buffer(k*n), buffer(m*n))
				got := measured(t, l, err)
				for _, operand := range []struct {
					name            string
					elements, times int64
				}{{"left", m * k, ceil(n, tile)}, {"right", k * n, ceil(m, tile)}} {
					a := array(t, got, operand.name)
					if a.Loads != operand.elements*operand.times || a.Most != operand.times || a.Loaded != operand.elements || a.LoadsPerElement != float64(operand.times) {
						t.Errorf("%s %d×%d×%d loads %d of %d elements of %s %d times, the most %d times; expected each %d times",
							v, m, k, n, a.Loaded, operand.elements, operand.name, a.Loads, a.Most, operand.times)
					}
					if v != matmul.Naive && (a.Shares != a.Loads || a.LoadsPerBlock != 1) {
						t.Errorf("%s %d×%d×%d: a block loads an element of %s %v times, expected once", v, m, k, n, operand.name, a.LoadsPerBlock)
					}
				}
				if out := array(t, got, "out"); out.Stores != m*n || out.Stored != m*n || out.Loads != 0 {
					t.Errorf("%s %d×%d×%d stores %d of %d cells and loads %d", v, m, k, n, out.Stores, m*n, out.Loads)
				}
			}
		}
	}
}

// The 4×4 version reads a quarter of what the tiled one does from shared memory, and
// no version's reads from there wait for a bank.
func TestMeasuredSharedMemory(t *testing.T) {
	const size = 64
	buffer := launch.Buffer{Type: "float", Data: make([]byte, 4*size*size)}
	reads := map[matmul.Version]int64{}
	for _, v := range matmul.Versions {
		l, err := v.Prepare(device.Fused, device.Float32, matmul.Packed(1, size, size, size), buffer, buffer, buffer)
		got := measured(t, l, err)
		reads[v] = got.SharedLoads.Lanes
		if got.SharedLoads.Conflicts != 0 {
			t.Errorf("%s: %d turns of reading shared memory too many", v, got.SharedLoads.Conflicts)
		}
	}
	const steps = size * size * size
	if want := (map[matmul.Version]int64{matmul.Naive: 0, matmul.Tiled: 2 * steps, matmul.Blocked: steps / 2}); !maps.Equal(reads, want) {
		t.Errorf("reads from shared memory: %v, expected %v", reads, want)
	}
}
