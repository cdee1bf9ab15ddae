//go:build !amd64

package cpu

// vectorTiers returns the tiers of vector code that this processor runs: there
// is vector code for amd64 alone.
func vectorTiers() []*tier { return nil }
