package web

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"workbench/assets"
	"workbench/chapters"
	"workbench/engine"
	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/web/run/runtest"
)

// Each fault of a GPU has its status, its sentence and what was tried, and the
// next download is served.
func TestStatusesOfFaults(t *testing.T) {
	statuses := map[string]int{
		"no driver": 404, "driver too old for the PTX": 404, "driver too old for the library": 404, "library missing": 404, "no such ordinal": 404,
		"out of memory": 507, "kernel does not compile": 422, "illegal address": 502, "launch failure": 502, "time limit": 504,
		"worker killed": 502, "driver failure": 502, "launch that does not fit": 400,
	}
	runner := &runtest.Runner{GPU: true}
	o := fixture()
	o.Runner = runner
	_, h := start(t, o)
	for _, fault := range runtest.Faults(device.Spec{Kind: device.CUDA}) {
		runner.Fault = fault.Err
		r, body := get(t, h.URL+"/api/compare.csv?a=cpu&b=cuda:0")
		if r.StatusCode != statuses[fault.Name] || r.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: status %d, %s, want %d", fault.Name, r.StatusCode, r.Header.Get("Content-Type"), statuses[fault.Name])
		}
		for _, want := range fault.Says {
			if !strings.Contains(strings.ToLower(body), strings.ToLower(want)) {
				t.Errorf("%s: %q is missing in %q", fault.Name, want, body)
			}
		}
		runner.Fault = nil
		if r, _ := get(t, h.URL+"/api/compare.csv?a=cpu&b=cuda:0"); r.StatusCode != http.StatusOK {
			t.Errorf("after %s: status %d", fault.Name, r.StatusCode)
		}
	}
}

// A download takes a precision, and says which criterion that brings.
func TestComparePrecision(t *testing.T) {
	_, h := start(t, Options{Chapters: chapters.FS, Assets: assets.FS, Open: engine.Open, List: engine.List, Emulator: engine.Emulator, Host: engine.Host()})
	for precision, source := range map[string]string{"": "chosen before the run for float64", "float32": "4096 units of roundoff of float32", "bfloat16": "16 units of roundoff of bfloat16"} {
		query := "?a=cpu&b=cpu,fused&text=ab"
		if precision != "" {
			query += "&precision=" + precision
		}
		r, body := get(t, h.URL+"/api/compare.json"+query)
		var report compare.Report
		if err := json.Unmarshal([]byte(body), &report); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d, %v", query, r.StatusCode, err)
		}
		if !strings.Contains(report.Tolerance.Source, source) || !report.Passed {
			t.Errorf("%s: passed %t within %+v", query, report.Passed, report.Tolerance)
		}
		r, body = get(t, h.URL+"/api/compare.csv"+query)
		rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		if err != nil || r.StatusCode != http.StatusOK || len(rows) != report.Count+1 {
			t.Errorf("%s: status %d, %d rows, %v", query, r.StatusCode, len(rows), err)
		}
	}
	if r, body := get(t, h.URL+"/api/compare.csv?a=cpu&b=cpu&precision=float8"); r.StatusCode != http.StatusBadRequest || !strings.Contains(body, `precision: precision "float8" is unknown`) {
		t.Errorf("an unknown precision: status %d, %q", r.StatusCode, body)
	}
}
