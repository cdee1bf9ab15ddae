package launch_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"workbench/engine/launch"
)

// fill gives every number below v another value, so that a figure that is
// forgotten or taken twice shows.
func fill(v reflect.Value, next *int64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), next)
		}
	case reflect.Int64:
		v.SetInt(*next)
		*next++
	}
}

func TestCountsAdd(t *testing.T) {
	var a launch.Counts
	next := int64(1)
	fill(reflect.ValueOf(&a).Elem(), &next)
	sum := a
	sum.Add(a)
	var check func(path string, one, two reflect.Value)
	numbers := int64(0)
	check = func(path string, one, two reflect.Value) {
		if one.Kind() == reflect.Struct {
			for i := range one.NumField() {
				check(path+"."+one.Type().Field(i).Name, one.Field(i), two.Field(i))
			}
			return
		}
		numbers++
		if two.Int() != 2*one.Int() {
			t.Errorf("%s: %d and the same again is %d", path, one.Int(), two.Int())
		}
	}
	check("Counts", reflect.ValueOf(a), reflect.ValueOf(sum))
	if numbers != next-1 {
		t.Errorf("%d figures were held against each other, of %d", numbers, next-1)
	}
}

func TestMeasurementText(t *testing.T) {
	m := launch.Measurement{
		Kernel: "saxpy", Blocks: 2, Threads: 64, Warps: 2,
		Counts: launch.Counts{
			Instructions: 40, Flops: 128,
			Loads:       launch.Traffic{Requests: 4, Sectors: 16, Distinct: 512, Transactions: 4},
			SharedLoads: launch.Banked{Requests: 3, Turns: 5, Conflicts: 2},
		},
		InstructionsPerWarp: 20, LaneEfficiency: 1, ArithmeticIntensity: 0.25,
		Buffers: []launch.ArrayCounts{{Name: "x", Elements: 64, Loaded: 64, LoadsPerElement: 1, FetchesPerElement: 1, LoadsPerBlock: 1}, {Name: "y", Elements: 64, Stored: 64, Stores: 64}},
	}
	text := m.Text()
	for _, want := range []string{
		"saxpy: 2 blocks, 64 threads, 2 warps\n",
		"20.0 per warp, 40 in all; 100.0% of the lanes",
		"global loads    4 requests, 16 sectors (4.00 per request), 4 lines (1.00); 100% of the bytes",
		"shared loads    3 requests, 5 turns, 2 of them bank conflicts",
		"x: 64 elements; each value is loaded once per block that uses it, once in all, by 1 request\n",
		"y: 64 elements; 64 stores\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "atomics") {
		t.Errorf("atomics that were none:\n%s", text)
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back launch.Measurement
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, m) {
		t.Errorf("read back: %+v, %v", back, err)
	}
	for _, name := range []string{`"instructions":40`, `"flops":128`, `"sectors":16`, `"conflicts":2`, `"loads_per_block":1`} {
		if !strings.Contains(string(data), name) {
			t.Errorf("no %s in %s", name, data)
		}
	}
}
