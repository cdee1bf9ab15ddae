package check

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
)

// plantedVariable names the file in which the planted kernels leave their names,
// so that a tool of these tests sees what was launched and nothing else.
const plantedVariable = "CHECK_TEST_PLANTED"

// plantedKernels are those that have a fault for a tool to find.
func plantedKernels(kernels map[string]fake.Kernel) {
	note := func(symbol string) {
		if file, err := os.OpenFile(os.Getenv(plantedVariable), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
			fmt.Fprintln(file, symbol)
			file.Close()
		}
	}
	kernels["check_past_end"] = fake.Kernel{Parameters: []int{8, 4}, Thread: func(t *fake.Thread) {
		if i := int(t.ThreadIdx.X); i <= t.Int(1) {
			note("check_past_end")
			t.Store(t.Pointer(0)+nvidia.Pointer(4*i), 4, 0)
		}
	}}
	kernels["check_race"] = fake.Kernel{Parameters: []int{8}, Thread: func(*fake.Thread) { note("check_race") }}
	kernels["check_unwritten"] = fake.Kernel{Parameters: []int{8, 8}, Thread: func(*fake.Thread) { note("check_unwritten") }}
	kernels["check_half_barrier"] = fake.Kernel{Parameters: []int{8}, Thread: func(*fake.Thread) { note("check_half_barrier") }}
}

// scripted is a compute-sanitizer that does what a script says. It has, as the
// script's words,
//
//	watch    run the program it is given, as the real one does
//	planted  whether a kernel with a fault ran that is for this tool
//	fault    say that there is a fault, without the end of a report
//	end N    say how many faults there were
//	say      write a line of the report
func scripted(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "compute-sanitizer")
	head := `#!/bin/sh
[ "$1 $3" = "--tool --log-file" ] || exit 9
tool=$2 log=$(echo "$4" | sed "s/%p/$$/")
shift 4
case "$*" in *worker*) where=worker ;; *) where=here ;; esac
export ` + plantedVariable + `="$log.planted"
case $tool in
memcheck) kernel=check_past_end first='Invalid __global__ write of size 4 bytes' ;;
racecheck) kernel=check_race first='Error: Race reported between Write access at check_race(float *)+0x70 in check.cu:38' ;;
initcheck) kernel=check_unwritten first='Uninitialized __global__ memory read of size 4 bytes' ;;
synccheck) kernel=check_half_barrier first='Barrier error detected. Divergent thread(s) in warp' ;;
esac
say() { echo "========= $*" >>"$log"; }
planted() { grep -q $kernel "$log.planted" 2>/dev/null; }
fault() { say "$first"; say "    at $kernel(float *)+0xb0 in check.cu:33"; say; }
end() {
	case $tool in
	racecheck) say "RACECHECK SUMMARY: $1 hazards displayed ($1 errors, 0 warnings)" ;;
	*) say "ERROR SUMMARY: $1 errors" ;;
	esac
}
say COMPUTE-SANITIZER
watch() { "$@"; status=$?; }
`
	if err := os.WriteFile(path, []byte(head+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// sees is a tool as it should be.
const sees = `
watch "$@"
if planted; then fault; fault; end 2; else end 0; fi
exit $status
`

func TestSanitizer(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	m := played(t, memory, "")
	m.Sanitizer = scripted(t, sees)
	found := outcomes(t, m, false, "sanitizer")
	if len(found) != 16 {
		t.Errorf("%d checks, want one and a planted fault for each of four tools, here and in a worker", len(found))
	}
	for tool, first := range map[string]string{
		"memcheck":  "Invalid __global__ write of size 4 bytes, in check_past_end",
		"racecheck": "Race reported between Write access at check_race(float *)+0x70 in check.cu:38, in check_race",
		"initcheck": "Uninitialized __global__ memory read of size 4 bytes, in check_unwritten",
		"synccheck": "Barrier error detected. Divergent thread(s) in warp, in check_half_barrier",
	} {
		for _, where := range []struct{ suffix, words string }{{"", "in a process that it started"}, {" in a worker", "of a worker that it started"}} {
			if o := found["sanitizer/"+tool+" finds a planted fault"+where.suffix]; !o.Passed || o.Detail != tool+" found 2 errors, the first: "+first {
				t.Errorf("a planted fault%s: %+v", where.suffix, o)
			}
			of, requests, _ := strings.Cut(found["sanitizer/"+tool+where.suffix].Detail, " errors in ")
			n, words, _ := strings.Cut(requests, " requests ")
			if count, _ := strconv.Atoi(n); of != tool+" found 0" || count < 100 || words != where.words {
				t.Errorf("the workload%s: %+v", where.suffix, found["sanitizer/"+tool+where.suffix])
			}
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// What a tool does wrong, or cannot do, is each check's to say that depends on it.
func TestSanitizerFails(t *testing.T) {
	const (
		here, planted   = "sanitizer/memcheck", "sanitizer/memcheck finds a planted fault"
		there, plantedW = "sanitizer/memcheck in a worker", "sanitizer/memcheck finds a planted fault in a worker"
		passes          = ""
		skipped         = "skipped: "
	)
	for name, tc := range map[string]struct {
		script, broken string
		want           map[string]string // of each check, what it says
	}{
		"it sees nothing": {`watch "$@"; end 0`, "", map[string]string{
			here: passes, there: passes,
			planted:  "memcheck found nothing in check_past_end, a kernel with a fault",
			plantedW: "memcheck found nothing in check_past_end, a kernel with a fault",
		}},
		"it sees nothing in a worker": {`watch "$@"; if planted && [ $where = here ]; then fault; end 1; else end 0; fi`, "", map[string]string{
			planted: passes, plantedW: "memcheck found nothing in check_past_end",
		}},
		"it sees no kernel, and is told of a fault": {`watch "$@"; say 'Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) on CUDA API call to cuCtxSynchronize.'; end 1`, "", map[string]string{
			planted: "memcheck found nothing in check_past_end", plantedW: "memcheck found nothing in check_past_end",
		}},
		"it sees a fault elsewhere": {`watch "$@"; kernel=other; fault; end 1`, "", map[string]string{
			planted: "memcheck found nothing in check_past_end", plantedW: "memcheck found nothing in check_past_end",
		}},
		"it finds something": {`watch "$@"; fault; fault; end 2; say 'ERROR SUMMARY: 1 errors were not printed.'`, "", map[string]string{
			here:  "memcheck found 2 errors, the first: Invalid __global__ write of size 4 bytes",
			there: "memcheck found 2 errors, the first: Invalid __global__ write of size 4 bytes",
		}},
		"it finds something in a worker": {`watch "$@"; if [ $where = worker ]; then fault; end 1; else end 0; fi`, "", map[string]string{
			here: passes, there: "memcheck found 1 errors, the first: Invalid __global__ write",
		}},
		"it finds what has another name": {`watch "$@"; say 'Something new'; end 3`, "", map[string]string{
			here: "memcheck found 3 errors:\n========= COMPUTE-SANITIZER\n========= Something new", there: "memcheck found 3 errors:",
		}},
		"it does not come to the end": {`watch "$@"; if planted; then fault; fi`, "", map[string]string{
			here: "memcheck did not come to the end of its report", there: "memcheck did not come to the end of its report",
			planted: passes, plantedW: passes,
		}},
		"one report of two does not come to its end": {`watch "$@"; end 0; cp "$log" "$log.2.log"; echo half >"$log"`, "", map[string]string{
			here: "memcheck did not come to the end of its report", there: "memcheck did not come to the end of its report",
		}},
		"it writes no report": {`watch "$@"; rm "$log"`, "", map[string]string{
			here: "memcheck wrote no report (<nil>):\nworkload done: ", there: "memcheck wrote no report (<nil>):\nworkload done: ",
			planted: "memcheck wrote no report", plantedW: "memcheck wrote no report",
		}},
		"it ends at once": {`rm "$log"; echo 'no licence' >&2; exit 3`, "", map[string]string{
			here: "memcheck wrote no report (exit status 3):\nno licence", there: "no licence",
			planted: "memcheck wrote no report (exit status 3)", plantedW: "memcheck wrote no report (device cuda:0",
		}},
		"it does not run the program": {`end 0`, "", map[string]string{
			here: "the workload did not end well (<nil>)", there: "the workload did not end well (device cuda:0",
			planted: "memcheck found nothing in check_past_end", plantedW: "memcheck found nothing in check_past_end",
		}},
		"the workload fails": {sees, "product", map[string]string{
			here: "the workload did not end well (exit status 1)", there: "the workload did not end well (",
		}},
		"the GPU is refused": {`say 'Error: Device not supported.'; watch "$@"; end 1; exit 1`, "", map[string]string{
			here:    skipped + "compute-sanitizer's memcheck cannot watch this machine's GPU: Error: Device not supported.",
			there:   skipped + "compute-sanitizer's memcheck cannot watch this machine's GPU: Error: Device not supported.",
			planted: skipped + "compute-sanitizer's memcheck cannot", plantedW: skipped + "compute-sanitizer's memcheck cannot",
		}},
		"the GPU is refused, before the program starts": {`rm "$log"; echo '========= Error: Device not supported.' >&2; exit 1`, "", map[string]string{
			here: skipped + "compute-sanitizer's memcheck cannot", there: skipped + "compute-sanitizer's memcheck cannot",
			planted: skipped + "compute-sanitizer's memcheck cannot", plantedW: skipped + "compute-sanitizer's memcheck cannot",
		}},
		"some launches are not watched": {`watch "$@"; say "Internal Sanitizer Error: The Sanitizer encountered an error while launching k and didn't track the launch."; end 0`, "", map[string]string{
			here: skipped + "compute-sanitizer's memcheck cannot", there: skipped + "compute-sanitizer's memcheck cannot",
		}},
		"the worker is not followed": {`watch "$@"; if [ $where = worker ]; then say 'Error: Target application terminated before first instrumented API call'; else end 0; fi`, "", map[string]string{
			here: passes, there: "memcheck saw no call of CUDA", plantedW: "memcheck saw no call of CUDA",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := played(t, memory, tc.broken)
			m.Sanitizer = scripted(t, tc.script)
			entries, err := Select(List(), []string{here}, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			entries = slices.DeleteFunc(entries, func(e Entry) bool { _, asked := tc.want[e.Name]; return !asked })
			if len(entries) != len(tc.want) {
				t.Errorf("%d checks for %d names", len(entries), len(tc.want))
			}
			for _, o := range Run(t.Context(), m, entries, Options{}).Checks {
				want := tc.want[o.Name]
				reason, skips := strings.CutPrefix(want, skipped)
				said := o.Detail
				if skips {
					said = o.Skipped
				}
				if o.Passed != (want == passes) || (o.Skipped != "") != skips || !strings.Contains(said, reason) {
					t.Errorf("%+v, want %q", o, want)
				}
			}
		})
	}
	m := played(t, memory, "")
	for _, path := range []string{"", filepath.Join(t.TempDir(), "none")} {
		m.Sanitizer = path
		for name, o := range outcomes(t, m, false, "sanitizer/initcheck") {
			if o.Passed || o.Skipped == "" {
				t.Errorf("%s without a tool: %+v", name, o)
			}
		}
	}
}

// A tool that does not end is ended with what it started.
func TestSanitizerHangs(t *testing.T) {
	const before, after = "", "watch \"$@\"\n"
	for _, tc := range []struct {
		check, script string
		limit         time.Duration
	}{
		{"sanitizer/synccheck", before, time.Second},
		{"sanitizer/synccheck in a worker", before, time.Second},
		{"sanitizer/synccheck in a worker", after, 2 * time.Second},
		{"sanitizer/synccheck finds a planted fault in a worker", after, 2 * time.Second},
	} {
		child := filepath.Join(t.TempDir(), "child")
		m := played(t, memory, "")
		m.Sanitizer = scripted(t, tc.script+"sleep 60 & echo $! >"+child+"\nwait\n")
		t.Run(tc.check, func(t *testing.T) { hangs(t, m, tc.check, tc.limit, child) })
	}
}

// hangs runs a check that does not end, and whose tool leaves the number of a
// process of its own in a file.
func hangs(t *testing.T, m *Machine, check string, limit time.Duration, child string) {
	entries, err := Select(List(), []string{check}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == check })
	entries[at].limit = limit
	start := time.Now()
	for _, o := range Run(t.Context(), m, entries[at:at+1], Options{}).Checks {
		if o.Passed || !strings.Contains(o.Detail, "it may take "+limit.String()) {
			t.Errorf("%+v", o)
		}
	}
	if took := time.Since(start); took > limit+3*time.Second {
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
