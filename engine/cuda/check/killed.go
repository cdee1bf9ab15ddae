package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// workerKilled ends the worker's process in the middle of a request, again and
// again: each time the request must fail and say so, and the next one be right.
func workerKilled(ctx context.Context, m *Machine, f *Findings) error {
	times, n := 100, 768
	if f.quick {
		times = 5
	}
	if m.small {
		n = 48
	}
	victim, err := newVictim(ctx, m, n)
	if err != nil {
		return err
	}
	c, err := m.start(ctx, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	took, err := repeat(5, func() error { return victim.multiply(ctx, c) })
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(3, uint64(times)))
	var recovery sample
	tried := 0
	for len(recovery) < times {
		if tried++; tried > 20*times {
			return fmt.Errorf("of %d requests only %d were still running when the process was ended", tried, len(recovery))
		}
		pid := c.Process()
		if pid == 0 {
			return errors.New("there is no worker after a request that succeeded")
		}
		done := make(chan error, 1)
		go func() { done <- victim.multiply(ctx, c) }()
		wait := time.Duration(random.Float64() * took.median() * float64(time.Microsecond))
		select {
		case err := <-done: // before it could be ended
			if err != nil {
				return err
			}
			continue
		case <-time.After(wait):
		}
		if err := kill(pid); err != nil {
			return err
		}
		select {
		case err = <-done:
		case <-time.After(20 * time.Second):
			return fmt.Errorf("request %d hung after the worker was ended", tried)
		}
		start := time.Now()
		if err == nil {
			// It came first, and its values are right: then the next request may be
			// the one in the middle of which the worker ends.
			if err = sound(ctx, c); err == nil {
				continue // and the end came between two requests
			}
		}
		if errors.Is(err, errWrong) {
			return err
		}
		var quiet Findings
		if err := faulty(&quiet, err, device.WorkerEnded); err != nil {
			return err
		}
		if len(recovery) == 0 {
			f.saw("%v", err)
		}
		if err := sound(ctx, c); err != nil {
			return fmt.Errorf("request %d: %w", tried, err)
		}
		recovery = append(recovery, microseconds(time.Since(start))/1e3)
	}
	f.saw("%d clear errors, 0 wrong values, 0 requests hung, and the next request right each time; %d more requests were over before the worker was ended, and right", len(recovery), tried-len(recovery))
	f.figure("recovery after the worker was killed", "ms", recovery, "")
	return nil
}

// kill ends a process at once.
func kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

var errWrong = errors.New("a value is wrong")

// victim is a product that takes a while, with the bytes that it must give.
type victim struct {
	product           session.Product
	left, right, want []byte
}

func newVictim(ctx context.Context, m *Machine, n int) (*victim, error) {
	cpu, err := m.CPU(device.Separate)
	if err != nil {
		return nil, err
	}
	defer cpu.Close()
	s := newSource("victim")
	p := device.Product{Left: s.matrix(n, n), Right: s.matrix(n, n)}
	out, _, err := cpu.Multiply(ctx, p)
	if err != nil {
		return nil, err
	}
	pack := func(v tensor.View) []byte { return device.Float64.AppendBytes(nil, v.Pack().Data()) }
	return &victim{session.Product{B: 1, M: n, K: n, N: n}, pack(p.Left), pack(p.Right), pack(out.View())}, nil
}

func (v *victim) multiply(ctx context.Context, c *worker.Client) error {
	right := false
	_, err := c.Multiply(ctx, v.product, func(l, r []byte) error {
		copy(l, v.left)
		copy(r, v.right)
		return nil
	}, func(out []byte) { right = bytes.Equal(out, v.want) })
	if err == nil && !right {
		return fmt.Errorf("%w in the product %d×%d×%d", errWrong, v.product.M, v.product.K, v.product.N)
	}
	return err
}
