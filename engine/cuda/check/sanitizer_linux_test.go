package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tool writes a compute-sanitizer that runs the program it is given, as the real
// one does, and says what a test wants it to say.
func tool(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "compute-sanitizer")
	// --tool NAME --target-processes all PROGRAM ...
	head := "#!/bin/sh\n[ \"$1 $3 $4\" = '--tool --target-processes all' ] || exit 9\ntool=$2\nshift 4\necho '========= COMPUTE-SANITIZER'\n"
	if err := os.WriteFile(path, []byte(head+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// What the tools print, of a fault and of none.
const (
	printsFault = `
case "$tool" in
memcheck) echo '========= Invalid __global__ write of size 4 bytes'; echo '=========     at check_past_end+0xb0 in check.cu:33'; echo '========= ERROR SUMMARY: 1 error' ;;
racecheck) echo '========= Error: Race reported between Write access at check_race+0x70 in check.cu:38'; echo '========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)' ;;
initcheck) echo '========= Uninitialized __global__ memory read of size 4 bytes'; echo '========= ERROR SUMMARY: 32 errors' ;;
synccheck) echo '========= Barrier error detected. Divergent thread(s) in warp'; echo '========= ERROR SUMMARY: 16 errors' ;;
esac
`
	printsNone = `
case "$tool" in
racecheck) echo '========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)' ;;
*) echo '========= ERROR SUMMARY: 0 errors' ;;
esac
`
	isPlanted = `case "$*" in *"part planted"*) planted=1 ;; *) planted= ;; esac
`
)

func TestSanitizer(t *testing.T) {
	m := played(t, memory, "")
	// One that sees: it runs the program, and reports the fault if there is one.
	m.Sanitizer = tool(t, isPlanted+"\"$@\" || exit\nif [ $planted ]; then"+printsFault+"else"+printsNone+"fi\n")
	found := outcomes(t, m, false, "sanitizer")
	if len(found) != 9 {
		t.Errorf("%d checks, want one and a planted fault for each of four tools, and a worker's", len(found))
	}
	for name, want := range map[string]string{
		"sanitizer/memcheck":                                   "memcheck found 0 errors in ",
		"sanitizer/racecheck":                                  "requests, here and in the worker",
		"sanitizer/memcheck finds a planted fault":             "memcheck found 1 errors, the first: Invalid __global__ write of size 4 bytes",
		"sanitizer/racecheck finds a planted fault":            "racecheck found 1 errors, the first: Race reported between Write access",
		"sanitizer/initcheck finds a planted fault":            "initcheck found 32 errors, the first: Uninitialized __global__ memory read",
		"sanitizer/synccheck finds a planted fault":            "synccheck found 16 errors, the first: Barrier error detected",
		"sanitizer/memcheck finds a planted fault in a worker": "memcheck found 1 errors",
	} {
		if o := found[name]; !o.Passed || !strings.Contains(o.Detail, want) {
			t.Errorf("%s: %+v, want %q", name, o, want)
		}
	}
	for name, o := range found {
		if !o.Passed {
			t.Errorf("%s: %s%s", name, o.Detail, o.Skipped)
		}
	}
}

func TestSanitizerFails(t *testing.T) {
	const check, planted = "sanitizer/memcheck", "sanitizer/memcheck finds a planted fault"
	for name, tc := range map[string]struct {
		script      string
		check, says string
		skipped     bool
		broken      string
	}{
		"a tool that sees nothing":        {script: "\"$@\"" + printsNone, check: planted, says: "memcheck found nothing in a kernel with a fault"},
		"a tool that finds something":     {script: "\"$@\"" + printsFault, check: check, says: "memcheck found 1 errors, the first: Invalid __global__ write"},
		"errors in one of two processes":  {script: "\"$@\"" + printsNone + printsFault, check: check, says: "memcheck found 1 errors"},
		"a program that was not run":      {script: printsNone, check: check, says: "the workload did not end well"},
		"a program that fails":            {script: "\"$@\"\nstatus=$?" + printsNone + "exit $status", check: check, says: "the workload did not end well", broken: "product"},
		"a tool that the device refuses":  {script: "echo '========= Error: Device not supported'; exit 1", check: check, says: "did not run to its end on this machine: ========= COMPUTE-SANITIZER\n========= Error: Device not supported", skipped: true},
		"a device refused when it plants": {script: "exit 1", check: planted, says: "did not run to its end", skipped: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := played(t, memory, tc.broken)
			m.Sanitizer = tool(t, tc.script)
			o := outcomes(t, m, false, tc.check)[tc.check]
			said := o.Detail
			if tc.skipped {
				said = o.Skipped
			}
			if o.Passed || (o.Skipped != "") != tc.skipped || !strings.Contains(said, tc.says) {
				t.Errorf("%+v, want %q", o, tc.says)
			}
		})
	}
	m := played(t, memory, "")
	for _, path := range []string{"", filepath.Join(t.TempDir(), "none")} {
		m.Sanitizer = path
		if o := outcomes(t, m, false, check)[check]; o.Passed || o.Skipped == "" {
			t.Errorf("without a tool: %+v", o)
		}
	}
}

// A tool that does not end is ended with what it started.
func TestSanitizerHangs(t *testing.T) {
	m := played(t, memory, "")
	child := filepath.Join(t.TempDir(), "child")
	m.Sanitizer = tool(t, "sleep 60 & echo $! >"+child+"\nwait\n")
	entries, err := Select(List(), []string{"sanitizer/synccheck"}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		entries[i].limit = time.Second
	}
	start := time.Now()
	for _, o := range Run(t.Context(), m, entries[:1], Options{}).Checks {
		if o.Passed || !strings.Contains(o.Detail, "it may take 1s") {
			t.Errorf("%+v", o)
		}
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("it took %s", took)
	}
	text, err := os.ReadFile(child)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		// What was killed may wait to be taken note of by whoever adopted it.
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(status), ") Z ") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d goes on", pid)
		}
	}
}

// The workload is held to the CPU's bits under a tool too.
func TestParts(t *testing.T) {
	m := played(t, memory, "")
	out, err := m.runPart(t.Context(), partWorkload)
	if err != nil || !strings.HasPrefix(string(out), workloadDone) {
		t.Errorf("the workload says %q, %v", out, err)
	}
	if _, err := m.runPart(t.Context(), "another"); err == nil || !strings.Contains(err.Error(), `there is no part "another"`) {
		t.Errorf("another part: %v", err)
	}
	if _, err := m.runPart(t.Context(), partDriverCase+"another"); err == nil || !strings.Contains(err.Error(), `no case "another"`) {
		t.Errorf("another case: %v", err)
	}
	if _, err := played(t, memory, "product").runPart(t.Context(), partWorkload); err == nil || !strings.Contains(err.Error(), "values differ") {
		t.Errorf("a workload with wrong values: %v", err)
	}
}

func TestDriverRelease(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"open module": {map[string]string{"/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@U22)  Tue Sep 23 10:11:16 UTC 2025\nGCC version:  gcc version 12.3.0\n"}, "580.95.05"},
		"module":      {map[string]string{"/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.256.02  Thu May  2 14:37:44 UTC 2024\n"}, "470.256.02"},
		"library":     {map[string]string{"/proc/self/maps": "7f0-7f1 r--p 00000000 08:01 1 /usr/lib/libc.so.6\n7f2-7f3 r-xp 00000000 08:01 2 /usr/lib/x86_64-linux-gnu/libcuda.so.550.54.15\n"}, "550.54.15"},
		"the first":   {map[string]string{"/proc/driver/nvidia/version": "NVRM version: x  580.1  y", "/proc/self/maps": "/libcuda.so.550.54.15"}, "580.1"},
		"neither":     {map[string]string{"/proc/driver/nvidia/version": "version 5", "/proc/self/maps": "/usr/lib/libcuda.so.1"}, "unknown"},
	} {
		got := driverRelease(func(file string) ([]byte, error) {
			if text, ok := tc.files[file]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		})
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
