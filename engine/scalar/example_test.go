package scalar_test

import (
	"fmt"
	"math"

	"workbench/engine/scalar"
)

func Example() {
	fmt.Printf("%016x\n", math.Float64bits(scalar.Exp(1)))
	fmt.Printf("%016x\n", math.Float64bits(scalar.Log(258)))
	fmt.Printf("%016x\n", math.Float64bits(scalar.Cos(1e22)))
	// Output:
	// 4005bf0a8b145769
	// 4016363b0994fe09
	// 3fe0be2cef01c8f4
}

// One rounding keeps what the product's own rounding would lose.
func ExampleFMA32() {
	x := float32(1 + 0x1p-12)
	product := x * x
	fmt.Println(scalar.FMA32(x, x, -product))
	// Output: 5.9604645e-08
}
