// Package lessons are the course's exercises, in the order in which they are
// done. What one consists of is said in package lesson; package runner checks
// them.
package lessons

import (
	"embed"
	"io/fs"
	"time"

	"workbench/engine/device"
	flatindex "workbench/lessons/flat-index"
	"workbench/lessons/guard"
	"workbench/lessons/lesson"
)

//go:embed */statement.md */starter */solution */mutants
var files embed.FS

// Files are the folders of the exercises, by their IDs: what of them is text.
func Files() fs.FS { return files }

// Where exercises are checked.
var (
	host = []device.Kind{device.CPU}                   // a Go exercise, a question
	gpus = []device.Kind{device.Emulator, device.CUDA} // a CUDA exercise
)

// All are the exercises in order.
var All = []lesson.Lesson{
	// Chapter 1: one product by hand.
	{
		ID: "flat-index", Title: "Find the place of an element in memory", Chapter: 1,
		Devices: host, Limit: 5 * time.Second, Check: flatindex.Check,
		Hints: []string{
			"Start with one row: [j] of n elements lies at j. What does a second axis add in front of it?",
			"Every step along an axis passes over as many elements as one step of the axes behind it has in all.",
			"Go through the axes from the first to the last. Before you add the next index, multiply what you have by that axis's extent.",
		},
	},

	// Chapter 6: how kernels divide work.
	{
		ID: "guard", Title: "Let the surplus threads do nothing", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: guard.Check,
		Hints: []string{
			"How many threads are there for n = 33, and which of them have an element?",
			"A thread's element is its place in its block plus all threads of the blocks before.",
			"int i = blockIdx.x * blockDim.x + threadIdx.x; and then an if around the one line that reads and writes.",
		},
	},
}
