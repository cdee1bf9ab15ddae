package socket_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"workbench/web/socket"
)

// Many pages ask, cancel, explain and leave at once, while chapters reload. It
// is for the race detector: every page that stays must get an answer to each
// request, once.
func TestHammer(t *testing.T) {
	s := serve(t, socket.Limits{Working: 2, Waiting: 2, Runs: 2, Progress: time.Millisecond})
	stop := make(chan struct{})
	var reloads sync.WaitGroup
	reloads.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				s.hub.Reload("01-one")
			}
		}
	})
	var pages sync.WaitGroup
	for i := range 8 {
		pages.Go(func() { hammer(t, s, rand.New(rand.NewPCG(39, uint64(i)))) })
	}
	pages.Wait()
	close(stop)
	reloads.Wait()
	s.working(t, 0)
	if text := s.log.String(); text != "" {
		t.Errorf("the log has %s", text)
	}
}

func hammer(t *testing.T, s *server, random *rand.Rand) {
	const requests = 60
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	leaves := random.IntN(3) == 0
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		for i := range requests {
			text := fmt.Sprintf(runProduct, fmt.Sprint(i))
			switch random.IntN(4) {
			case 0:
				text = fmt.Sprintf(`{"v":1,"type":"explain","id":"%d","run":"r%d","step":2,"cell":[0,0,0]}`, i, i)
			case 1:
				text = fmt.Sprintf(`{"v":1,"type":"compare","id":"%d","devices":["cpu","cpu,fused"]}`, i)
			}
			if conn.WriteMessage(websocket.TextMessage, []byte(text)) != nil {
				return
			}
			if random.IntN(5) == 0 && conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"v":1,"type":"cancel","id":"%d"}`, random.IntN(i+1))) != nil {
				return
			}
		}
	}()
	answers, greeted := map[string]bool{}, false
	for len(answers) < requests {
		if leaves && len(answers) > requests/2 {
			conn.Close()
			break
		}
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		_, text, err := conn.ReadMessage()
		if err != nil {
			t.Errorf("after %d answers: %v", len(answers), err)
			break
		}
		var m struct{ Type, ID, Code string }
		if err := json.Unmarshal(text, &m); err != nil {
			t.Errorf("%s: %v", text, err)
			break
		}
		if greeted != (m.Type != socket.Hello) {
			t.Errorf("a greeting does not come first, and alone: %s", text)
		}
		greeted = true
		switch m.Type {
		case socket.Hello, socket.Reload, socket.Progress, socket.Devices:
			continue
		case socket.Error:
			if m.Code == "internal" || m.Code == "protocol" {
				t.Errorf("answer %s", text)
			}
		}
		if answers[m.ID] {
			t.Errorf("request %s was answered twice", m.ID)
		}
		answers[m.ID] = true
	}
	conn.Close()
	<-asked
}
