//go:build race

package cublas

// Under the race detector a pool drops what it holds at random.
const raceEnabled = true
