package harness

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"
)

// tick is how often the limits are looked at. A program that fills memory as
// fast as it can gets through some 50 MB in that time.
const tick = 10 * time.Millisecond

// watch ends the program when it has run for limit milliseconds, when more than
// heap bytes are in use, or when the runner says so, and writes down where every
// goroutine was.
func watch(limit, heap int64) {
	used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	begun := time.Now()
	stop := filepath.Join(check.folder, StopFile)
	for range time.Tick(tick) {
		metrics.Read(used)
		now := int64(used[0].Value.Uint64() + used[1].Value.Uint64())
		if now > heap {
			end("memory", now)
		}
		if _, err := os.Stat(stop); err == nil {
			end("output", 0)
		}
		if took := time.Since(begun).Milliseconds(); took > limit {
			end("time", took)
		}
	}
}

// manyGoroutines is from how many on nobody is told where each was: to go through
// a million of them takes seconds.
const manyGoroutines = 10_000

// end writes down why, and where the program was, and ends it.
func end(why string, figure int64) {
	check.mu.Lock() // and never unlocks it: nothing else is written after this
	b := word([]byte("stop "), why, check.at)
	b = strconv.AppendInt(append(b, " i"...), figure, 10)
	b = strconv.AppendInt(append(b, " i"...), int64(runtime.NumGoroutine()), 10)
	b = append(b, ' ', 's')
	check.results.Write(append(strconv.AppendQuote(b, ""), '\n')) // for the case that the rest takes too long
	if runtime.NumGoroutine() < manyGoroutines {
		stack := make([]byte, 128<<10)
		stack = stack[:runtime.Stack(stack, true)]
		check.results.Write(append(strconv.AppendQuote(b, string(stack)), '\n'))
	}
	os.Exit(8)
}
