package matrix

import (
	"fmt"
	"slices"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// Reads returns an array's counts in a measurement; none if nobody touched it.
func Reads(m *launch.Measurement, name string) launch.ArrayCounts {
	for _, a := range slices.Concat(m.Buffers, m.Shared) {
		if a.Name == name {
			return a
		}
	}
	return launch.ArrayCounts{Name: name}
}

// TooOften is the finding that the elements of an array are loaded more often
// than by a kernel that does so once for each block of a row or a column of
// blocks, of which there are so many. It is nil if they are not.
func TooOften(m *launch.Measurement, name string, blocks int) *lesson.Finding {
	r := Reads(m, name)
	if r.LoadsPerElement <= float64(blocks) {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.TooSlow,
		Text: fmt.Sprintf("The result is right, but each element of %s is loaded %s from memory; by tiles it is %s, once for each block that needs it.",
			name, times(r.LoadsPerElement), times(float64(blocks))),
		Next: "let each thread load one element of a tile, and let all threads of the block use it from shared memory",
	}
}

// tooManyRequests is the finding that tiles are loaded by more requests than so
// many. It is nil if they are not.
func tooManyRequests(m *launch.Measurement, most int64) *lesson.Finding {
	if m.Loads.Requests <= most {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.TooSlow,
		Text: fmt.Sprintf("The result is right, but it takes %d requests to memory to load the tiles, one after the other; %d are enough if all threads of a block load at the same time.",
			m.Loads.Requests, most),
		Next: "give every thread its own element of each tile, by its x and its y",
	}
}

// TooManyBarriers is the finding that the warps of a kernel come to more barriers
// than two in each round, and one more in front or behind. It is nil if they do
// not.
func TooManyBarriers(m *launch.Measurement, rounds int) *lesson.Finding {
	most := 2*int64(rounds) + 1
	each := m.Barriers / m.Warps
	if each <= most {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.TooSlow,
		Text: fmt.Sprintf("The result is right, but each warp comes to %d barriers; for k terms it takes %s, and two in each are enough.", each, plural(rounds, "round")),
		Next: "look for a barrier that keeps nothing apart, and for a round too many, in which nothing is added",
	}
}

func times(x float64) string {
	if x == 1 {
		return "once"
	}
	return fmt.Sprintf("%.4g times", x)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
