package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvrtc"
	"workbench/engine/device"
	"workbench/kernels"
)

var contracts = []device.Contract{device.Separate, device.Fused}

// The PTX that is committed was made from the source that is, and not changed
// since.
func TestCurrent(t *testing.T) {
	for _, topic := range kernels.Catalogue() {
		for _, contract := range contracts {
			text := strings.TrimSuffix(string(topic.PTX(contract)), "\x00")
			if err := compile.CheckEmbedded(text, topic.File, topic.Source, contract); err != nil {
				t.Error(err)
			}
		}
	}
}

// Made again, the files have the same bytes.
func TestMadeAgain(t *testing.T) {
	c, err := nvrtc.New()
	var missing *nvidia.MissingError
	if errors.As(err, &missing) {
		t.Skip("needs NVRTC 11.8 (Debian's libnvrtc11.2, non-free): there is no NVRTC here")
	}
	if err != nil {
		t.Fatal(err)
	}
	if major, minor, err := c.Version(); err != nil {
		t.Fatal(err)
	} else if major != 11 || minor != 8 {
		if err := run(t.TempDir()); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("this is NVRTC %d.%d", major, minor)) {
			t.Errorf("with NVRTC %d.%d: %v", major, minor, err)
		}
		t.Skipf("needs NVRTC 11.8: here is %d.%d", major, minor)
	}

	dir := t.TempDir()
	for _, topic := range kernels.Catalogue() {
		if err := os.MkdirAll(filepath.Join(dir, topic.Name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	for _, topic := range kernels.Catalogue() {
		for _, contract := range contracts {
			name := filepath.Join(topic.Name, topic.PTXFile(contract))
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.TrimSuffix(string(topic.PTX(contract)), "\x00"); string(got) != want {
				t.Errorf("%s: NVRTC makes other bytes than those committed: run go generate ./kernels and read the difference", name)
			}
		}
	}
}
