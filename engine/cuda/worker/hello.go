package worker

import (
	"encoding/json"

	"workbench/engine/cuda/nvidia"
)

// Hello is what a worker says when it has opened its GPU.
type Hello struct {
	Build  string        `json:"build"`  // of its file
	Driver int           `json:"driver"` // newest CUDA version of the driver: 13000 is 13.0
	Device nvidia.Device `json:"device"`
}

func (b *frameBuilder) hello(h Hello) error {
	b.begin(kindHello, 0, 0)
	meta, err := json.Marshal(h)
	if err != nil {
		return err
	}
	b.bytes = append(b.bytes, meta...)
	return nil
}

func readHello(meta []byte) (Hello, error) {
	var h Hello
	if err := json.Unmarshal(meta, &h); err != nil {
		return Hello{}, malformed("its greeting: %v", err)
	}
	return h, nil
}
