package device

import (
	"fmt"
	"strconv"
	"strings"
)

// Words says in a sentence's words what was counted, and how long it took where
// something was timed: "1 product, 1 launch, 96 bytes in, 32 bytes out; copy in
// 4.1 µs, kernel 6.2 µs, copy out 5.0 µs". Nothing at all is the empty text.
func (s Stats) Words() string {
	if s == (Stats{}) {
		return ""
	}
	text := strings.Join([]string{
		count(s.Requests, "product", "products"), count(s.Launches, "launch", "launches"),
		count(s.BytesIn, "byte in", "bytes in"), count(s.BytesOut, "byte out", "bytes out"),
	}, ", ")
	if times := s.Times(); times != "" {
		text += "; " + times
	}
	return text
}

// Times is the second half of Words: how long each part took that was timed.
func (s Stats) Times() string {
	var times []string
	for _, part := range []struct {
		name string
		ns   int64
	}{{"copy in", s.CopyInNS}, {"kernel", s.KernelNS}, {"copy out", s.CopyOutNS}} {
		if part.ns > 0 {
			times = append(times, part.name+" "+Duration(part.ns))
		}
	}
	return strings.Join(times, ", ")
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// Duration writes nanoseconds with two or three digits that matter, rounded
// half up, in the largest unit of which there is one: "850 ns", "4.1 µs",
// "123 ms", "2.0 s".
func Duration(ns int64) string {
	if ns < 1000 {
		return strconv.FormatInt(ns, 10) + " ns"
	}
	unit, name := int64(1000), "µs"
	switch {
	case ns >= 999_500_000:
		unit, name = 1_000_000_000, "s"
	case ns >= 999_500:
		unit, name = 1_000_000, "ms"
	}
	if tenths := ns/(unit/10) + ns%(unit/10)/(unit/20); tenths < 1000 {
		return fmt.Sprintf("%d.%d %s", tenths/10, tenths%10, name)
	}
	return fmt.Sprintf("%d %s", ns/unit+ns%unit/(unit/2), name)
}
