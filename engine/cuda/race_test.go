//go:build race

package cuda

// The race detector makes everything ten times slower: conformance is then held
// where requests meet alone.
const raceEnabled = true
