// Package alongmemory checks the exercise of that name.
package alongmemory

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

var kernel = matrix.Kernel{Name: "along_memory", Threads: [2]int{16, 16}, Cells: [2]int{16, 16}, Round: 16, ByColumns: true}

// whole is the shape that fills its tiles: every sector that is moved can be used.
var whole = [3]int{32, 32, 48}

// Check looks at how the tiles of the shape that fills them are loaded and read.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	return append(kernel.Cases(
		[3]int{1, 1, 1}, [3]int{2, 3, 2}, [3]int{3, 17, 5}, [3]int{17, 5, 19}, [3]int{2, 40, 3},
		whole,
	), kernel.Ordered())
}

func measured(c *lesson.Case, measurements []*launch.Measurement) *lesson.Finding {
	if f := kernel.Measured(c, measurements); f != nil {
		return f
	}
	if m := c.Launches[0].Args[3].(int32); int(m) != whole[0] {
		return nil
	}
	m := measurements[0]
	// 32 floats are 4 sectors. Both operands are loaded by as many requests.
	if m.SectorsPerRequest > 4 {
		return &lesson.Finding{
			Kind: lesson.TooSlow,
			Text: fmt.Sprintf("The result is right, but a request to memory touches %.1f sectors on average, where 4 are enough for the 32 floats of a warp.", m.SectorsPerRequest),
			Next: "let x, which differs between neighbouring threads, be added to the place in memory as it is, and not times k",
		}
	}
	shared := m.SharedLoads
	shared.Add(m.SharedStores)
	// Two rows of 16 that are stored together begin 17 banks apart, and meet in one.
	if 10*shared.Conflicts <= shared.Requests {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.BankConflicts,
		Text: fmt.Sprintf("The result is right and memory is read well, but %d requests to shared memory need %d turns: %d of them wait for a bank.",
			shared.Requests, shared.Turns, shared.Conflicts),
		Next: "write down the words that the lanes of a warp want, and their numbers mod 32; a column that nobody uses moves each row to another bank",
	}
}
