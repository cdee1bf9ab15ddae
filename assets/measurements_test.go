package assets

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// sound returns a measurement as gpu-check writes it, of a GPU that does not
// exist.
func sound() Measurement {
	return Measurement{
		GPU: "Test GPU 1", Driver: "580.1", CUDA: "13.0", Date: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC),
		Commit: "0123456789ab", Command: "workbench gpu-check",
		Checks: []Check{
			{Name: "bits/products", Passed: true, Detail: "12 values"},
			{Name: "no driver", Passed: false, Detail: "it said nothing"},
			{Name: "sanitizer/memcheck", Skipped: "compute-sanitizer is not there"},
		},
		Figures: []Figure{
			{Name: "bare", Value: 4, Unit: "µs", Spread: 0.5},
			{Name: "request", Value: 5, Unit: "µs", Spread: 0, Peer: "bare", Ratio: 1.25},
			{Name: "overhead", Value: -0.25, Unit: "µs"},
		},
	}
}

func write(t *testing.T, m Measurement) []byte {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestParseMeasurement(t *testing.T) {
	m, err := ParseMeasurement(write(t, sound()))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%+v", *m), fmt.Sprintf("%+v", sound()); got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
	if f, ok := m.Figure("request"); !ok || f.Value != 5 {
		t.Errorf("the figure is %+v, %v", f, ok)
	}
	if _, ok := m.Figure("another"); ok {
		t.Error("there is a figure that was not measured")
	}
}

func TestParseMeasurementRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(*Measurement)
		want  string
	}{
		"no gpu":              {func(m *Measurement) { m.GPU = "" }, "gpu: it is missing"},
		"a gpu without name":  {func(m *Measurement) { m.GPU = "—" }, "gpu: \"—\" has no letter"},
		"no driver":           {func(m *Measurement) { m.Driver = " " }, "driver: it is missing"},
		"no cuda":             {func(m *Measurement) { m.CUDA = "" }, "cuda: it is missing"},
		"no commit":           {func(m *Measurement) { m.Commit = "" }, "commit: it is missing"},
		"no command":          {func(m *Measurement) { m.Command = "" }, "command: it is missing"},
		"no date":             {func(m *Measurement) { m.Date = time.Time{} }, "date: 0001-01-01T00:00:00Z is no time of a run"},
		"a date before CUDA":  {func(m *Measurement) { m.Date = time.Unix(0, 0).UTC() }, "date: 1970"},
		"a local date":        {func(m *Measurement) { m.Date = m.Date.In(time.FixedZone("", 3600)) }, "in UTC"},
		"no checks":           {func(m *Measurement) { m.Checks = nil }, "checks: there are none"},
		"a check twice":       {func(m *Measurement) { m.Checks[1].Name = "bits/products" }, `checks[1]: name: "bits/products" is there twice`},
		"a check unnamed":     {func(m *Measurement) { m.Checks[0].Name = "" }, "checks[0]: name: it is missing"},
		"passed and skipped":  {func(m *Measurement) { m.Checks[2].Passed = true }, "checks[2]: skipped:"},
		"a silent failure":    {func(m *Measurement) { m.Checks[1].Detail = "" }, "checks[1]: detail:"},
		"a figure twice":      {func(m *Measurement) { m.Figures[2].Name = "bare" }, `figures[2]: name: "bare" is there twice`},
		"a figure unnamed":    {func(m *Measurement) { m.Figures[0].Name = "" }, "figures[0]: name: it is missing"},
		"no unit":             {func(m *Measurement) { m.Figures[2].Unit = "" }, "figures[2]: unit:"},
		"a negative spread":   {func(m *Measurement) { m.Figures[2].Spread = -1 }, "figures[2]: spread:"},
		"a peer of its own":   {func(m *Measurement) { m.Figures[1].Peer = "request" }, "figures[1]: peer:"},
		"a peer that is not":  {func(m *Measurement) { m.Figures[1].Peer = "another" }, `figures[1]: peer: "another" is no other figure`},
		"units that differ":   {func(m *Measurement) { m.Figures[0].Unit = "ms" }, "figures[1]: peer:"},
		"a wrong ratio":       {func(m *Measurement) { m.Figures[1].Ratio = 1.2 }, "figures[1]: ratio: 1.2, expected 1.25"},
		"a ratio alone":       {func(m *Measurement) { m.Figures[2].Ratio = 1 }, "figures[2]: ratio:"},
		"a peer of nothing":   {func(m *Measurement) { m.Figures[0].Value = 0 }, "figures[1]: ratio:"},
		"a peer and no ratio": {func(m *Measurement) { m.Figures[1].Ratio = 0 }, "figures[1]: ratio: 0, expected 1.25"},
	} {
		m := sound()
		tc.spoil(&m)
		_, err := ParseMeasurement(write(t, m))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, tc.want)
		}
	}

	text := string(write(t, sound()))
	for name, tc := range map[string]struct{ old, new, want string }{
		"unknown field":           {`"commit":`, `"host":"h","commit":`, `unknown field "host"`},
		"unknown field of figure": {`"spread":`, `"error":1,"spread":`, `unknown field "error"`},
		"unknown field of check":  {`"passed":`, `"ok":true,"passed":`, `unknown field "ok"`},
		"NaN":                     {`"value":4`, `"value":NaN`, "invalid character"},
		"NaN as text":             {`"value":4`, `"value":"NaN"`, "cannot unmarshal string"},
		"infinity":                {`"value":4`, `"value":1e999`, "cannot unmarshal number"},
		"a date in words":         {`2026-01-31T12:00:00Z`, `31 January 2026`, "cannot parse"},
		"a day that is not":       {`2026-01-31T`, `2026-02-31T`, "day out of range"},
		"something behind":        {`{"gpu"`, `{"gpu":"a"}{"gpu"`, ""},
	} {
		if !strings.Contains(text, tc.old) {
			t.Fatalf("%s: %s is not in the text", name, tc.old)
		}
		_, err := ParseMeasurement([]byte(strings.Replace(text, tc.old, tc.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, tc.want)
		}
	}
	if _, err := ParseMeasurement([]byte(text + "{}")); err == nil || !strings.Contains(err.Error(), "something after") {
		t.Errorf("text behind a measurement: %v", err)
	}
	if _, err := ParseMeasurement(nil); err == nil {
		t.Error("an empty file is a measurement")
	}
}

func TestReadMeasurements(t *testing.T) {
	first, second := sound(), sound()
	second.GPU = "A GPU"
	files := fstest.MapFS{
		"measurements/README.md":       {Data: []byte("# words")},
		"measurements/test-gpu-1.json": {Data: write(t, first)},
		"measurements/a-gpu.json":      {Data: write(t, second)},
	}
	found, err := ReadMeasurements(files)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range found {
		names = append(names, m.GPU)
	}
	if !slices.Equal(names, []string{"A GPU", "Test GPU 1"}) {
		t.Errorf("read %q", names)
	}

	files["measurements/b-gpu.json"] = &fstest.MapFile{Data: write(t, second)}
	if _, err := ReadMeasurements(files); err == nil || !strings.Contains(err.Error(), "measurements/b-gpu.json: gpu:") || !strings.Contains(err.Error(), "belongs into a-gpu.json") {
		t.Errorf("a file of another GPU's name: %v", err)
	}
	files["measurements/b-gpu.json"] = &fstest.MapFile{Data: []byte("{")}
	if _, err := ReadMeasurements(files); err == nil || !strings.Contains(err.Error(), "measurements/b-gpu.json") {
		t.Errorf("a broken file: %v", err)
	}
	if found, err := ReadMeasurements(fstest.MapFS{"measurements/README.md": {}}); err != nil || found == nil || len(found) != 0 {
		t.Errorf("without measurements: %v, %v", found, err)
	}
}

// What is embedded can be read; the folder's README always is.
func TestMeasurements(t *testing.T) {
	if _, err := Measurements(); err != nil {
		t.Error(err)
	}
	if _, err := FS.ReadFile("measurements/README.md"); err != nil {
		t.Error(err)
	}
}

func TestMeasurementFile(t *testing.T) {
	for gpu, want := range map[string]string{
		"NVIDIA H200":              "nvidia-h200.json",
		"NVIDIA GeForce RTX 4090":  "nvidia-geforce-rtx-4090.json",
		"Quadro  T1000 (Max-Q)":    "quadro-t1000-max-q.json",
		"../NVIDIA H200\x00/.json": "nvidia-h200-json.json",
	} {
		if got := MeasurementFile(gpu); got != want {
			t.Errorf("%q is measured in %q, want %q", gpu, got, want)
		}
	}
}
