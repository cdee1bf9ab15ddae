package socket_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"workbench/engine/device"
	"workbench/web/run"
	"workbench/web/run/runtest"
	"workbench/web/socket"
)

// devicesOf is the list of a message, each as its spec.
func devicesOf(m map[string]any) string {
	all, _ := m["devices"].([]any)
	out := ""
	for _, d := range all {
		out += fmt.Sprint(d.(map[string]any)["spec"], ";")
	}
	return out
}

// A page is greeted at once with what every machine has, and told when the look
// at this machine is over; a page that comes later is greeted with all.
func TestDevicesThatComeLate(t *testing.T) {
	seen := make(chan []device.Info)
	s := serveWith(t, &runtest.Runner{Look: func(ctx context.Context) []device.Info {
		select {
		case infos := <-seen:
			return infos
		case <-ctx.Done():
			return nil
		}
	}}, socket.Limits{})
	early := s.open(t)
	if got := devicesOf(early.hello); got != "cpu;cpu,fused;" {
		t.Errorf("before the look is over a page is greeted with %q", got)
	}
	early.send(fmt.Sprintf(runProduct, "1"))
	early.expect(`{"type":"trace","id":"1"}`) // nobody waits for it
	seen <- runtest.GPUInfos
	m := early.next()
	if got := devicesOf(m); m["type"] != socket.Devices || m["id"] != nil || got != "cpu;cpu,fused;cuda:0;cuda:0,fused;cuda:0,library;" {
		t.Errorf("after it the page is told %v", m)
	}
	if got := devicesOf(s.open(t).hello); got != "cpu;cpu,fused;cuda:0;cuda:0,fused;cuda:0,library;" {
		t.Errorf("a page that comes later is greeted with %q", got)
	}

	// Another look that finds the same is told to who asked alone.
	early.send(`{"v":1,"type":"devices","id":"2"}`)
	seen <- runtest.GPUInfos
	if m := early.next(); m["id"] != "2" || devicesOf(m) != "cpu;cpu,fused;cuda:0;cuda:0,fused;cuda:0,library;" {
		t.Errorf("the answer to another look is %v", m)
	}
	// One that finds something else is told to all.
	other := s.open(t)
	early.send(`{"v":1,"type":"devices","id":"3"}`)
	seen <- runtest.Infos
	if m := other.next(); m["type"] != socket.Devices || devicesOf(m) != "cpu;cpu,fused;cuda:0;" {
		t.Errorf("another page is told %v", m)
	}
	for range 2 { // the answer and the news, in either order
		if m := early.next(); m["type"] != socket.Devices || devicesOf(m) != "cpu;cpu,fused;cuda:0;" {
			t.Errorf("who asked is told %v", m)
		}
	}
}

// Who asks for longer than a request may take is told so, and of the list when it
// is known.
func TestLookThatTakesLong(t *testing.T) {
	seen := make(chan []device.Info)
	s := serveWith(t, &runtest.Runner{Look: func(context.Context) []device.Info { return <-seen }}, socket.Limits{RunTime: 20 * time.Millisecond})
	p := s.open(t)
	p.send(`{"v":1,"type":"devices","id":"1"}`)
	p.expect(`{"type":"error","id":"1","code":"timeout","message":"Which devices there are is not known yet: a driver takes its time to answer."}`)
	seen <- runtest.GPUInfos
	if m := p.next(); m["type"] != socket.Devices {
		t.Errorf("the news are %v", m)
	}
}

// All who ask during a look wait for that one, who leaves takes it from nobody,
// and a hub that closes waits for none.
func TestLooksAreShared(t *testing.T) {
	var looks atomic.Int64
	seen := make(chan []device.Info)
	s := serveWith(t, &runtest.Runner{Look: func(ctx context.Context) []device.Info {
		looks.Add(1)
		select {
		case infos := <-seen:
			return infos
		case <-ctx.Done():
			return nil
		}
	}}, socket.Limits{Progress: time.Hour})
	a, b := s.open(t), s.open(t)
	a.send(`{"v":1,"type":"devices","id":"1"}`)
	a.send(`{"v":1,"type":"devices","id":"2"}`)
	b.send(`{"v":1,"type":"devices","id":"1"}`)
	a.send(`{"v":1,"type":"cancel","id":"2"}`)
	a.expect(`{"type":"error","id":"2","code":"cancelled"}`)
	b.send(fmt.Sprintf(runProduct, "2"))
	b.expect(`{"type":"trace","id":"2"}`)
	seen <- runtest.GPUInfos
	for _, p := range []page{a, b} {
		for m := p.next(); m["id"] != "1"; m = p.next() {
		}
	}
	if n := looks.Load(); n != 1 {
		t.Errorf("%d looks, want the one that was going on", n)
	}
	a.send(`{"v":1,"type":"devices","id":"3"}`)
	for looks.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	s.hub.Close()
}

// A fault of each kind is an answer that says what, why and what next, and the
// connection goes on: so does the device, once it is well.
func TestFaultsAreAnswers(t *testing.T) {
	spec := device.Spec{Kind: device.CUDA}
	runner := &runtest.Runner{GPU: true}
	s := serveWith(t, runner, socket.Limits{})
	p := s.open(t)
	runOnGPU := `{"v":1,"type":"run","id":"%s","example":"product","device":"cuda:0","input":{"left":[[1,2]],"right":[[3],[4]]}}`
	for _, fault := range runtest.Faults(spec) {
		t.Run(fault.Name, func(t *testing.T) {
			p := page{t, p.Conn, nil}
			runner.Fault = fault.Err
			for _, request := range []string{fmt.Sprintf(runOnGPU, "1"), `{"v":1,"type":"compare","id":"1","devices":["cpu","cuda:0"]}`} {
				p.send(request)
				m := p.expect(`{"type":"error","id":"1"}`)
				want := run.Describe(fault.Err)
				if m["code"] != string(want.Code) || m["message"] != want.Message || want.Code == run.CodeInternal {
					t.Errorf("the answer is %v, want %+v", m, want)
				}
				if next, _ := m["next"].(string); next != want.Next {
					t.Errorf("the next step is %q, want %q", next, want.Next)
				}
				if detail, ok := m["detail"].(map[string]any); ok != (want.Detail != nil) || ok && len(detail["lines"].([]any)) != len(want.Detail.Lines) {
					t.Errorf("the detail is %v, want %+v", m["detail"], want.Detail)
				}
			}
			runner.Fault = nil
			p.send(fmt.Sprintf(runOnGPU, "2"))
			m := p.expect(`{"type":"trace","id":"2"}`)
			if made := m["trace"].(map[string]any); made["device"] != "cuda:0" || made["device_name"] != runtest.GPUName {
				t.Errorf("after it a run is made by %v, %v", made["device"], made["device_name"])
			}
		})
	}
	if text := s.log.String(); text != "" {
		t.Errorf("the log has %s: a fault of a device is no mistake of the server", text)
	}
}

// A page that goes ends what it has on a GPU: what runs and what waits.
func TestGonePageLeavesTheGPU(t *testing.T) {
	runner := &runtest.Runner{GPU: true}
	s := serveWith(t, runner, socket.Limits{Working: 2, Waiting: 3, Progress: time.Hour})
	defer s.stall()()
	p := s.open(t)
	for i := range 9 {
		p.send(fmt.Sprintf(`{"v":1,"type":"run","id":"%d","example":"product","device":"cuda:0",%s}`, i, oneInput))
	}
	for i := 5; i < 9; i++ {
		p.expect(fmt.Sprintf(`{"type":"error","id":"%d","code":"busy"}`, i))
	}
	s.working(t, 2)
	p.NetConn().Close()
	s.working(t, 0)
}
