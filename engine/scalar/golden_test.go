package scalar

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The bits of this file are the contract between processors: whoever runs the
// tests, with fused multiply-add instructions or without, gets these.
const goldenFile = "bits.txt"

func TestGolden(t *testing.T) {
	path := filepath.Join("testdata", goldenFile)
	got := goldenBits()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	if len(gotLines) != len(wantLines) {
		t.Fatalf("%d lines, the golden file has %d: if the test's arguments changed, run with -update and read the difference", len(gotLines), len(wantLines))
	}
	shown := 0
	for i := range wantLines {
		if gotLines[i] != wantLines[i] {
			t.Errorf("%s:%d: got %q, want %q", path, i+1, gotLines[i], wantLines[i])
			if shown++; shown == 10 {
				t.Fatal("and perhaps more")
			}
		}
	}
}

func goldenBits() []byte {
	var b bytes.Buffer
	b.WriteString("# function, bits of each argument, bits of the result; then, for many arguments,\n")
	b.WriteString("# digest, function, number of results, FNV-1a of their bits\n")
	random := rand.New(rand.NewPCG(19, 20))
	for _, fn := range functions {
		arguments := append([]float64(nil), fn.hard...)
		for _, r := range fn.ranges {
			for range 16 {
				arguments = append(arguments, r.draw(random))
			}
		}
		for _, x := range arguments {
			fmt.Fprintf(&b, "%s %016x %016x\n", fn.name, math.Float64bits(x), math.Float64bits(fn.f(x)))
		}
	}
	pair := func() (x, y float64) {
		x = argumentRange{low: subnormal, high: math.MaxFloat64, geometric: true}.draw(random)
		return x, 1500 * (random.Float64() - 0.5) / Log(x)
	}
	for range 64 {
		x, y := pair()
		fmt.Fprintf(&b, "Pow %016x %016x %016x\n", math.Float64bits(x), math.Float64bits(y), math.Float64bits(Pow(x, y)))
	}
	for range 64 {
		x, y, z := fmaArguments(random)
		fmt.Fprintf(&b, "FMA32 %08x %08x %08x %08x\n", math.Float32bits(x), math.Float32bits(y), math.Float32bits(z), math.Float32bits(FMA32(x, y, z)))
	}

	const count = 1 << 16
	digest := func(name string, next func() uint64) {
		hash := fnv.New64a()
		for range count {
			pattern := next()
			var bytes [8]byte
			for i := range bytes {
				bytes[i] = byte(pattern >> (8 * i))
			}
			hash.Write(bytes[:])
		}
		fmt.Fprintf(&b, "digest %s %d %016x\n", name, count, hash.Sum64())
	}
	for _, fn := range functions {
		i := 0
		digest(fn.name, func() uint64 {
			i++
			return math.Float64bits(fn.f(fn.ranges[i%len(fn.ranges)].draw(random)))
		})
	}
	digest("Pow", func() uint64 {
		x, y := pair()
		return math.Float64bits(Pow(x, y))
	})
	// A function's last rounding hides nearly every change before it. Its parts
	// before that rounding show them.
	digest("expParts", func() uint64 {
		_, p, _ := expParts(float64(1400*(random.Float64()-0.5)), float64(0x1p-10*random.Float64()))
		return math.Float64bits(p)
	})
	digest("logParts", func() uint64 {
		x, _ := pair()
		_, _, rh, rl := logParts(x)
		return math.Float64bits(rh) ^ math.Float64bits(rl)<<1
	})
	digest("logDouble", func() uint64 {
		x, _ := pair()
		_, lo := logDouble(x)
		return math.Float64bits(lo)
	})
	digest("reduce", func() uint64 {
		_, _, lo := reduce(trigRanges[random.IntN(len(trigRanges))].draw(random))
		return math.Float64bits(lo)
	})
	digest("sinTerms", func() uint64 {
		_, _, s, v := sinTerms(float64(random.Float64() * (math.Pi / 4)))
		return math.Float64bits(s) ^ math.Float64bits(v)<<1
	})
	digest("FMA32", func() uint64 { return uint64(math.Float32bits(FMA32(fmaArguments(random)))) })
	return b.Bytes()
}
