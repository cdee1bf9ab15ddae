package device

import (
	"math"
	"testing"
)

func TestStatsWords(t *testing.T) {
	for _, c := range []struct {
		stats Stats
		want  string
	}{
		{Stats{}, ""},
		{Stats{Requests: 1, Launches: 1, BytesIn: 96, BytesOut: 32, CopyInNS: 4100, KernelNS: 6200, CopyOutNS: 5000},
			"1 product, 1 launch, 96 bytes in, 32 bytes out; copy in 4.1 µs, kernel 6.2 µs, copy out 5.0 µs"},
		{Stats{Requests: 3, Launches: 2, BytesIn: 1, BytesOut: 1}, "3 products, 2 launches, 1 byte in, 1 byte out"},
		{Stats{Requests: 1, KernelNS: 999}, "1 product, 0 launches, 0 bytes in, 0 bytes out; kernel 999 ns"},
	} {
		if got := c.stats.Words(); got != c.want {
			t.Errorf("%+v is %q, want %q", c.stats, got, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 ns", 1: "1 ns", 999: "999 ns", 1000: "1.0 µs", 4149: "4.1 µs", 4150: "4.2 µs", 4250: "4.3 µs", 123_500: "124 µs", 99_949: "99.9 µs", 99_950: "100 µs",
		999_499: "999 µs", 999_500: "1.0 ms", 1_000_000: "1.0 ms", 45_000_000: "45.0 ms", 360_000_000: "360 ms",
		999_500_000: "1.0 s", 61_000_000_000: "61.0 s", 3_600_000_000_000: "3600 s", math.MaxInt64: "9223372037 s",
	} {
		if got := Duration(ns); got != want {
			t.Errorf("%d ns is %q, want %q", ns, got, want)
		}
	}
}
