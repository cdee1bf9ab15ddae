package compare_test

import (
	"fmt"
	"math"
	"os"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// A report holds every value of two results, and says in text which of them
// disagree.
func ExampleCompare() {
	report := compare.Compare("cpu", "cpu,fused", compare.Float64(), []compare.Group{
		{
			Name:  "sums",
			Shape: []int{2}, CandidateShape: []int{2},
			Reference: []float64{6, 15}, Candidate: []float64{6, 15},
		},
		{
			Name:  "loss",
			Shape: []int{}, CandidateShape: []int{},
			Reference: []float64{5.5}, Candidate: []float64{5.75},
		},
	})
	fmt.Println(report.Passed, report.Failures, "of", report.Count)
	first := report.Groups[1].First
	fmt.Println(first.Group, first.Absolute, first.ReferenceBits, first.CandidateBits)
	// Output:
	// false 1 of 3
	// loss 0.25 4016000000000000 4017000000000000
}

// Two zeros of different sign are equal numbers. Under Exact they do not agree:
// one of their bits differs.
func ExampleExact() {
	report := compare.Compare("cpu", "emulator", compare.Exact("both add in the same order under the same contract"), []compare.Group{
		{Name: "x", Shape: []int{1}, CandidateShape: []int{1}, Reference: []float64{0}, Candidate: []float64{math.Copysign(0, -1)}},
	})
	fmt.Println(report.Passed)
	fmt.Println(report.Groups[0].First)
	// Output:
	// false
	// x[0]: c = 0 (0000000000000000), u = -0 (8000000000000000), |u − c| = 0, relative 0, 0 ulp, allowed 0 and no other bit
}

// Two float32 products of 1000 terms may differ by both sides' rounding errors
// and no more, whatever the order in which each added them.
func ExampleProductBounds() {
	ones := func(shape ...int) tensor.View {
		t := tensor.Must(tensor.New(shape...))
		for i := range t.Data() {
			t.Data()[i] = 1
		}
		return t.View()
	}
	plan, err := tensor.PlanMatmul(ones(1, 1000), ones(1000, 1), false, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("γ(1000) = %.4g\n", compare.Gamma(1000, 0x1p-24))
	fmt.Printf("allowed   %.4g\n", compare.ProductBounds(plan, device.Float32, 2)[0])
	// Output:
	// γ(1000) = 5.961e-05
	// allowed   0.1192
}

// A terminal gets a line for each group and the verdict as a sentence.
func ExampleReport_WriteText() {
	report := compare.Compare("cpu", "emulator", compare.Exact("both add in the same order under the same contract"), []compare.Group{
		{Name: "sums", Shape: []int{2}, CandidateShape: []int{2}, Reference: []float64{6, 15}, Candidate: []float64{6, 15}},
	})
	if err := report.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// reference  c of cpu
	// candidate  u of emulator
	// criterion  u and c are equal in every bit
	//            both add in the same order under the same contract
	//
	// group  shape  values  failures  differing  worst |u − c|  ulp  worst at  first failure
	// sums   [2]         2         0          0              -    -  -         -              pass
	//
	// PASS: 2 values are equal in every bit.
}
