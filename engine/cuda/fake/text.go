package fake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// Variable is the environment variable that tells a process of a test which
// machine to pretend, in the form that Parse reads.
const Variable = "COURSE_FAKE_CUDA"

// FromEnvironment makes the machine that Variable describes. Without it there is
// none, and ok is false.
func FromEnvironment() (m *Machine, ok bool, err error) {
	text, ok := os.LookupEnv(Variable)
	if !ok {
		return nil, false, nil
	}
	config, err := Parse(text)
	if err != nil {
		return nil, true, fmt.Errorf("%s: %w", Variable, err)
	}
	return New(config), true, nil
}

// Parse reads a machine as words with blanks between them:
//
//	devices=2                 so many GPUs; 0 for none
//	names=NVIDIA_H200,Other   what they are called, with _ for a blank
//	capability=7.5            theirs
//	memory=1GiB               of each; KiB and MiB too
//	driver=11.4               the newest CUDA version the driver supports; or missing
//	nvrtc=12.8                its version; or missing
//	cublas=120805             its version as it writes it; or missing
//	slow=5ms                  what each kernel takes
//	fail=cuMemAlloc_v2:3:2    the third call is refused with result 2; 0 is every call
//	later=cuLaunchKernel:1:700    the first launch's kernel fails, which the next call that waits reports
//	hang=cuCtxSynchronize:3   the third call does not return
//	sleep=cuInit:1:2s         the first call takes so long
//	exit=cuLaunchKernel:2:3   the second call ends the process with status 3
//	once=/tmp/x/struck        fail, later, hang, sleep and exit happen only in the first
//	                          process that comes by: it makes this file
//
// The empty text is the machine of the zero Config.
func Parse(text string) (Config, error) {
	c := Config{Faults: Faults{}}
	var names []string
	var major, minor int
	once := ""
	for _, word := range strings.Fields(text) {
		key, value, ok := strings.Cut(word, "=")
		if !ok || value == "" {
			return Config{}, fmt.Errorf("%q is not of the form key=value", word)
		}
		var err error
		switch key {
		case "devices":
			var n int
			n, err = strconv.Atoi(value)
			if err == nil && (n < 0 || n > 1024) {
				err = errors.New("is not a number of devices")
			}
			if err == nil {
				c.Devices = GPUs(n)
			}
		case "names":
			names = strings.Split(strings.ReplaceAll(value, "_", " "), ",")
		case "capability":
			major, minor, err = twoNumbers(value)
		case "memory":
			c.Memory, err = size(value)
		case "driver":
			c.Driver, err = library(value)
		case "nvrtc":
			c.Compiler, err = library(value)
		case "cublas":
			if value == "missing" {
				c.BLAS.Missing = true
			} else {
				c.BLAS.Version, err = strconv.Atoi(value)
			}
		case "slow":
			c.Slow, err = time.ParseDuration(value)
		case "fail", "later", "hang", "sleep", "exit":
			err = c.Faults.read(key, value)
		case "once":
			once = value
		default:
			err = errors.New("is not a word of this form")
		}
		if err != nil {
			return Config{}, fmt.Errorf("%q: %w", word, err)
		}
	}
	if c.Devices == nil {
		c.Devices = GPUs(max(1, len(names)))
	}
	if len(names) > len(c.Devices) {
		return Config{}, fmt.Errorf("%d names for %d devices", len(names), len(c.Devices))
	}
	for i, name := range names {
		c.Devices[i].Name = name
	}
	if major != 0 {
		for i := range c.Devices {
			c.Devices[i].Major, c.Devices[i].Minor = major, minor
		}
	}
	if once != "" {
		// Made in one step, so that only one of two processes makes it.
		file, err := os.OpenFile(once, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		switch {
		case errors.Is(err, fs.ErrExist):
			c.Faults = nil
		case err != nil:
			return Config{}, err
		default:
			file.Close()
		}
	}
	return c, nil
}

// read adds the fault that CALL:AT or CALL:AT:HOW describes.
func (f Faults) read(key, value string) error {
	parts := strings.Split(value, ":")
	want := 3
	if key == "hang" {
		want = 2
	}
	if len(parts) != want {
		return fmt.Errorf("has %d parts with colons between them, and %s takes %d", len(parts), key, want)
	}
	if !isCall(parts[0]) {
		return fmt.Errorf("%s is not a function that the fake has", parts[0])
	}
	at, err := strconv.Atoi(parts[1])
	if err != nil {
		return err
	}
	fault := Fault{At: at}
	switch key {
	case "hang":
		fault.Hang = true
	case "sleep":
		fault.Sleep, err = time.ParseDuration(parts[2])
	case "exit":
		fault.Exit, err = strconv.Atoi(parts[2])
	default:
		fault.Code, err = strconv.Atoi(parts[2])
		fault.Later = key == "later"
	}
	if err != nil {
		return err
	}
	f[parts[0]] = append(f[parts[0]], fault)
	return nil
}

// library reads a version as 12.8, or missing.
func library(value string) (Library, error) {
	if value == "missing" {
		return Library{Missing: true}, nil
	}
	major, minor, err := twoNumbers(value)
	return Library{Version: 1000*major + 10*minor}, err
}

func twoNumbers(value string) (first, second int, err error) {
	a, b, ok := strings.Cut(value, ".")
	if !ok {
		return 0, 0, errors.New("is not two numbers with a dot between them")
	}
	if first, err = strconv.Atoi(a); err == nil {
		second, err = strconv.Atoi(b)
	}
	return first, second, err
}

func size(value string) (uint64, error) {
	for unit, bytes := range map[string]uint64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if digits, ok := strings.CutSuffix(value, unit); ok {
			n, err := strconv.ParseUint(digits, 10, 32)
			return n * bytes, err
		}
	}
	return 0, errors.New("is not a size in KiB, MiB or GiB")
}
