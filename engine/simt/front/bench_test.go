package front_test

import (
	"os"
	"testing"

	"workbench/engine/simt/front"
)

// BenchmarkRead is what a launch pays before it runs: reading the product's
// source, with everything that comes before it.
func BenchmarkRead(b *testing.B) {
	text, err := os.ReadFile("../../../kernels/matmul/matmul.cu")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		unit, err := front.Read("matmul.cu", string(text), front.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := unit.Program(); err != nil {
			b.Fatal(err)
		}
	}
}
