package load

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// A class sees each step with its values, what was run, another chapter, and goes on
// behind a server that was stopped: without a clock.
func TestClass(t *testing.T) {
	h := &here{TB: t, dir: t.TempDir(), address: "127.0.0.1:0"}
	defer h.kill()
	lesson(t, h, 50, 1, func(c *class, what string, steps func()) { steps() }, nil)
}

// lesson is one from its beginning to its end. Each part of it is measured by measure.
func lesson(t *testing.T, h host, followers, times int, measure func(c *class, what string, part func()), bad func(c *class)) {
	c := join(t, h.start())
	s := c.stage
	// From now on what is not shown is late.
	seq := s.step(c, 0)()
	measure(c, "all come", func() {
		c.come(followers, well)
		c.all(seq)
	})
	step := 0
	steps := func(n int) func() {
		return func() {
			for i := range n {
				step = (step + 1) % (c.last - 10)
				if i%4 == 3 {
					step += 3 // where no page has fetched the moment ahead
				}
				seq = s.step(c, step)()
				pause(measured)
			}
			c.all(seq)
			c.at(step)
		}
	}
	measure(c, "steps", steps(20*times))
	if bad != nil {
		bad(c)
		measure(c, "steps, with 100 slow or dead", steps(20*times))
		c.leave(followers - 100)
		c.come(100, well)
		seq = s.step(c, step)()
		c.all(seq)
		c.latencies()
	}
	measure(c, "typing", func() {
		for i := range 3 * times {
			s.texts = fmt.Sprintf(`{"source":"%s// %d"}`, strings.Repeat("x = y;\\n", 300), i)
			seq = s.step(c, step)()
			pause(measured)
		}
		s.texts = "null"
		seq = s.step(c, step)()
		c.all(seq)
	})
	measure(c, "a run", func() {
		seq = s.run(c, 1, step)()
		c.all(seq)
	})
	measure(c, "steps of it", steps(4*times))
	measure(c, "another chapter", func() {
		seq = s.drive(c, fmt.Sprintf(`"chapter":%q`, c.second))()
		c.all(seq)
	})
	measure(c, "and back", func() {
		seq = s.drive(c, fmt.Sprintf(`"chapter":%q`, c.first))()
		seq = s.step(c, step)()
		c.all(seq)
	})
	// The server ends in the middle of a step.
	s.step(c, step+1)()
	seq = s.step(c, step+2)()
	step += 2
	c.browser.CloseIdleConnections() // which a server that stops would wait for
	h.kill()
	if h.start() != "" && measured == 0 {
		t.Error("the server opened another room in place of going on with the one")
	}
	measure(c, "all come back behind a restart", func() {
		c.all(seq + 1) // a server that starts begins with news of its own
	})
	c.at(step)
	c.stage.conn.Close()
	ran := s.ran
	s = c.enter()
	s.ran, c.stage = ran, s
	measure(c, "steps behind it", steps(4*times))
	for _, f := range c.followers {
		f.mu.Lock()
		if f.failure != nil {
			t.Error(f.failure)
		}
		f.mu.Unlock()
	}
}

// measured is the time between two steps; none where nothing is timed.
var measured time.Duration

func pause(d time.Duration) {
	if d > 0 {
		time.Sleep(d)
	}
}

// The figures of a thousand followers.
func TestLoad(t *testing.T) {
	if os.Getenv("COURSE_LOAD") == "" {
		t.Skip("COURSE_LOAD=1 has this take some minutes, and the whole machine")
	}
	measured = 200 * time.Millisecond
	defer func() { measured = 0 }()
	const followers = 1000
	p := build(t)
	load, _ := os.ReadFile("/proc/loadavg")
	t.Logf("%d followers; the machine's load before: %s", followers, strings.TrimSpace(string(load)))
	var most float64
	lesson(t, p, followers, 10, func(c *class, what string, part func()) {
		c.latencies()
		server, clients := p.work()
		bytes, began := c.loaded.Load(), time.Now()
		part()
		took := time.Since(began)
		server2, clients2 := p.work()
		now, peak := p.memory()
		most = max(most, peak)
		line := fmt.Sprintf("%-32s %6.1f s  server %4.0f%% clients %4.0f%% of a core  %4.0f MB now, %4.0f at most",
			what, took.Seconds(), 100*(server2-server).Seconds()/took.Seconds(), 100*(clients2-clients).Seconds()/took.Seconds(), now, peak)
		if all := c.latencies(); len(all) > 0 {
			at := func(share float64) float64 { return all[int(share*float64(len(all)-1))].Seconds() * 1e3 }
			line += fmt.Sprintf("  shown after p50 %4.0f p99 %4.0f max %4.0f ms (%d)", at(0.5), at(0.99), at(1), len(all))
			if strings.HasPrefix(what, "steps") && at(0.99) > 250 {
				t.Errorf("%s: a step is shown after %.0f ms at p99, and 250 are allowed", what, at(0.99))
			}
		}
		if loaded := c.loaded.Load() - bytes; loaded > 0 {
			line += fmt.Sprintf("  %d MB of pages", loaded/1e6)
		}
		t.Log(line)
		if what == "all come back behind a restart" && took > 5*time.Second {
			t.Errorf("all came back after %.1f s, and 5 are allowed", took.Seconds())
		}
	}, func(c *class) {
		c.leave(followers - 100)
		c.come(50, slow)
		c.come(50, dead)
		time.Sleep(3 * time.Second) // for them to be in
		c.latencies()
	})
	if most >= 300 {
		t.Errorf("the server took %.0f MB, and 300 are allowed", most)
	}
}
