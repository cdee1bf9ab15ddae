//go:build race

package driver

// Under the race detector a pool drops what it holds at random.
const raceEnabled = true
