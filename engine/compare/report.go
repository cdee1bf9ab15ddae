// Package compare holds two complete results against each other.
//
// Two finite values, c of the reference and u of the candidate, agree when
//
//	|u − c| ≤ atol + rtol·|c|
//
// A shape that differs, a tensor that one side lacks, and any NaN or infinity,
// even the same on both sides, fail. The tolerance is fixed before the run and
// printed with the report, with the place it comes from.
//
// A report has an Entry for every value, in the order of the groups, so that a
// page can sort, filter and download it without doing arithmetic. It prints as
// text, and travels as JSON and CSV in which every number is the shortest
// decimal that reads back to the same bits.
//
// That compares numbers: +0 and −0 are 0 apart and agree under any atol and
// rtol. Where two results share contract and order the criterion is stricter:
// under Exact they agree when they are equal in every bit. Differing counts other
// bits under each criterion.
package compare

import "workbench/engine/tensor"

// Version of the JSON form.
const Version = 1

// Tolerance is the criterion of a comparison.
type Tolerance struct {
	Bits     bool          `json:"bits,omitempty"` // finite values agree when they are equal in every bit; Absolute and Relative are 0
	Absolute tensor.Number `json:"absolute"`
	Relative tensor.Number `json:"relative"`
	Source   string        `json:"source"` // where it comes from, one sentence
}

// Group is one named tensor of a result, from both sides, row-major. A side that
// lacks the tensor has neither shape nor values: both are nil. (A scalar's shape
// is empty and its values are one.)
type Group struct {
	Name                 string
	Shape                []int // of the reference
	CandidateShape       []int
	Reference, Candidate []float64
	// Bound, if not nil, is the allowed absolute difference of each element
	// and replaces the report's tolerance for this group. A bound that is not
	// finite promises nothing, and no value passes it.
	Bound []float64
}

// Report is a complete comparison.
type Report struct {
	Version    int           `json:"version"`
	Reference  string        `json:"reference"` // device spec
	Candidate  string        `json:"candidate"`
	Made       *Made         `json:"made,omitempty"`
	Tolerance  Tolerance     `json:"tolerance"`
	Passed     bool          `json:"passed"`     // some group was compared, and all of them passed
	Count      int           `json:"count"`      // values compared
	Failures   int           `json:"failures"`   // of them, outside the tolerance
	Differing  int           `json:"differing"`  // of them, with other bits
	Mismatched int           `json:"mismatched"` // groups whose values could not be compared: see their Reason
	Groups     []GroupReport `json:"groups"`
	Entries    []Entry       `json:"entries"` // every value compared, in group order
}

// Made says how both sides computed their values. Whoever ran them adds it to the
// report.
type Made struct {
	Precision string `json:"precision"` // of products, sums and means
	Reference Maker  `json:"reference"`
	Candidate Maker  `json:"candidate"`
	Bits      string `json:"bits"` // why bits may differ, or why none may: one sentence
}

// Maker is one side's device.
type Maker struct {
	Name     string `json:"name,omitempty"`    // of the hardware: "NVIDIA H200"
	Contract string `json:"contract"`          // "separate" or "fused"
	Library  bool   `json:"library,omitempty"` // a library multiplied, in an order of its own
}

// GroupReport sums up one tensor.
type GroupReport struct {
	Name           string `json:"name"`
	Shape          []int  `json:"shape"`
	CandidateShape []int  `json:"candidate_shape,omitzero"` // if it differs
	Reason         string `json:"reason,omitempty"`         // why no value was compared; the group fails
	Bounded        bool   `json:"bounded,omitempty"`        // each value has its own bound in place of the tolerance
	Passed         bool   `json:"passed"`
	Count          int    `json:"count"`
	Failures       int    `json:"failures"`
	Differing      int    `json:"differing"`
	First          *Entry `json:"first,omitempty"` // first failure
	Worst          *Entry `json:"worst,omitempty"` // largest absolute difference, a NaN or infinity before all; absent where no bit differs and nothing fails
}

// Entry is one value of both sides.
type Entry struct {
	Group         string        `json:"group"`
	Coordinate    []int         `json:"coordinate"`
	Flat          int           `json:"flat"`
	Reference     tensor.Number `json:"reference"`
	Candidate     tensor.Number `json:"candidate"`
	Absolute      tensor.Number `json:"absolute"`
	Relative      tensor.Number `json:"relative"`       // Absolute / |reference|; 0 where Absolute is 0
	ULP           string        `json:"ulp"`            // float64 steps between the two, a decimal number; "" where one is NaN
	ReferenceBits string        `json:"reference_bits"` // 16 hex digits
	CandidateBits string        `json:"candidate_bits"`
	Allowed       tensor.Number `json:"allowed"` // absolute difference
	Pass          bool          `json:"pass"`
}
