//go:build !linux || !(amd64 || arm64)

package library

import (
	"errors"
	"strings"
	"testing"

	"workbench/engine/cuda/nvidia"
)

func TestOtherSystems(t *testing.T) {
	for _, k := range []Kind{Driver, NVRTC, CUBLAS} {
		_, err := Open(k)
		var missing *nvidia.MissingError
		if !errors.As(err, &missing) || missing.Library != k.String() || !strings.HasPrefix(missing.Reason, "CUDA is supported on Linux") {
			t.Errorf("%v: %v", k, err)
		}
	}
}
