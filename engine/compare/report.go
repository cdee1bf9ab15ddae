// Package compare holds two complete results against each other.
//
// Two finite values agree when |u − c| ≤ atol + rtol·|c|, c being the
// reference. A shape that differs, and any NaN or infinity, fails. The
// tolerance is fixed before the run and printed with the report, with the
// place it comes from.
package compare

import "workbench/engine/tensor"

// Version of the JSON form.
const Version = 1

// Tolerance is the criterion of a comparison.
type Tolerance struct {
	Absolute tensor.Number `json:"absolute"`
	Relative tensor.Number `json:"relative"`
	Source   string        `json:"source"` // where it comes from, one sentence
}

// Group is one named tensor of a result, from both sides.
type Group struct {
	Name                 string
	Shape                []int // of the reference
	CandidateShape       []int
	Reference, Candidate []float64
	// Bound, if not nil, is the allowed absolute difference of each element
	// and replaces the report's tolerance for this group.
	Bound []float64
}

// Report is a complete comparison.
type Report struct {
	Version   int           `json:"version"`
	Reference string        `json:"reference"` // device spec
	Candidate string        `json:"candidate"`
	Tolerance Tolerance     `json:"tolerance"`
	Passed    bool          `json:"passed"`
	Count     int           `json:"count"`     // values compared
	Failures  int           `json:"failures"`  // values outside the tolerance
	Differing int           `json:"differing"` // values whose bits differ
	Groups    []GroupReport `json:"groups"`
	Entries   []Entry       `json:"entries"` // every value, in group order
}

// GroupReport sums up one tensor.
type GroupReport struct {
	Name           string `json:"name"`
	Shape          []int  `json:"shape"`
	CandidateShape []int  `json:"candidate_shape,omitempty"` // if it differs
	Passed         bool   `json:"passed"`
	Count          int    `json:"count"`
	Failures       int    `json:"failures"`
	Differing      int    `json:"differing"`
	First          *Entry `json:"first,omitempty"` // first failure
	Worst          *Entry `json:"worst,omitempty"` // largest absolute difference, a NaN or infinity before all
}

// Entry is one value of both sides.
type Entry struct {
	Group         string        `json:"group"`
	Coordinate    []int         `json:"coordinate"`
	Flat          int           `json:"flat"`
	Reference     tensor.Number `json:"reference"`
	Candidate     tensor.Number `json:"candidate"`
	Absolute      tensor.Number `json:"absolute"`
	Relative      tensor.Number `json:"relative"`       // of |reference|
	ULP           string        `json:"ulp"`            // float64 steps between the two; "" where one is NaN
	ReferenceBits string        `json:"reference_bits"` // 16 hex digits
	CandidateBits string        `json:"candidate_bits"`
	Allowed       tensor.Number `json:"allowed"` // absolute difference
	Pass          bool          `json:"pass"`
}
