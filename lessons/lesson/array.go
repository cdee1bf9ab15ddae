package lesson

import "workbench/engine/launch"

// Given returns an array that a kernel reads. Value is told each element's place in
// memory.
func Given(name, ctype string, shape []int, value func(i int) float64) *Array {
	return &Array{Name: name, Type: ctype, Shape: shape, Values: filled(shape, value)}
}

// Wanted returns an array that a kernel writes, with what it should hold then.
func Wanted(name, ctype string, shape []int, value func(i int) float64) *Array {
	return &Array{Name: name, Type: ctype, Shape: shape, Want: filled(shape, value)}
}

func filled(shape []int, value func(i int) float64) []float64 {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = value(i)
	}
	return values
}

// Extent returns the extent of a grid or of a block along x, y and z; what is not
// said is 1.
func Extent(along ...int) launch.Dim3 {
	d := launch.Dim3{X: 1, Y: 1, Z: 1}
	for axis, at := range []*int{&d.X, &d.Y, &d.Z} {
		if axis < len(along) {
			*at = along[axis]
		}
	}
	return d
}
