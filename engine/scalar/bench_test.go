package scalar

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Benchmarks print the time of a function beside that of package math's on the
// same arguments, in the same run.
func BenchmarkFunctions(b *testing.B) {
	random := rand.New(rand.NewPCG(11, 12))
	draw := func(low, high float64) []float64 {
		values := make([]float64, 1024)
		for i := range values {
			values[i] = low + (high-low)*random.Float64()
		}
		return values
	}
	positive, around0, angles, large := draw(0.01, 100), draw(-10, 10), draw(-100, 100), draw(1e9, 1e300)
	exponents := draw(-1, 1)
	pow := func(f func(x, y float64) float64) func(x float64) float64 {
		i := 0
		return func(x float64) float64 {
			i++
			return f(x, exponents[i%len(exponents)])
		}
	}
	for _, c := range []struct {
		name         string
		scalar, math func(float64) float64
		arguments    []float64
	}{
		{"Exp", Exp, math.Exp, around0},
		{"Exp2", Exp2, math.Exp2, around0},
		{"Log", Log, math.Log, positive},
		{"Log2", Log2, math.Log2, positive},
		{"Sin", Sin, math.Sin, angles},
		{"Cos", Cos, math.Cos, angles},
		{"SinLarge", Sin, math.Sin, large},
		{"Tanh", Tanh, math.Tanh, around0},
		{"Pow", pow(Pow), pow(math.Pow), positive},
	} {
		b.Run(c.name+"/scalar", func(b *testing.B) { benchmark(b, c.scalar, c.arguments) })
		b.Run(c.name+"/math", func(b *testing.B) { benchmark(b, c.math, c.arguments) })
	}
}

func benchmark(b *testing.B, f func(float64) float64, arguments []float64) {
	var sum float64
	for i := 0; b.Loop(); i++ {
		sum += f(arguments[i%len(arguments)])
	}
	if math.IsNaN(sum) {
		b.Fatal("a finite argument gave NaN")
	}
}

// The peer rounds twice; it is there for its time.
func BenchmarkFMA32(b *testing.B) {
	random := rand.New(rand.NewPCG(13, 14))
	values := make([]float32, 1024)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	for _, c := range []struct {
		name string
		f    func(a, b, c float32) float32
	}{
		{"scalar", FMA32},
		{"math", func(a, b, c float32) float32 { return float32(math.FMA(float64(a), float64(b), float64(c))) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var sum float32
			for i := 0; b.Loop(); i++ {
				sum = c.f(values[i%len(values)], 0.5, sum)
			}
			if sum != sum {
				b.Fatal("finite values gave NaN")
			}
		})
	}
}
