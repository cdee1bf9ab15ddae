package worker

import (
	"fmt"
	"strings"
	"sync"
)

const (
	mostHead = 2 << 10
	mostTail = 4 << 10
)

// tail keeps the beginning and the end of what a worker writes to its standard
// error: a crash says what it was first, and stacks after it.
type tail struct {
	mu   sync.Mutex
	head []byte // guarded by mu
	last []byte // guarded by mu; what came after head
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(p), mostHead-len(t.head))
	t.head = append(t.head, p[:n]...)
	t.last = append(t.last, p[n:]...)
	if cut := len(t.last) - mostTail; cut > 0 {
		t.last = append(t.last[:0], t.last[cut:]...)
	}
	return len(p), nil
}

// telling are the beginnings of lines with which Go and the C library name the
// cause of a process's end.
var telling = []string{"panic:", "fatal error:", "SIG", "runtime:", "terminate called", "unexpected fault"}

// words returns what a message should quote: the line that names the cause and
// the two after it, or the last five lines.
func (t *tail) words() string {
	t.mu.Lock()
	text := strings.ToValidUTF8(string(t.head)+string(t.last), "�")
	t.mu.Unlock()
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		for _, begin := range telling {
			if strings.HasPrefix(line, begin) {
				return strings.Join(lines[i:min(i+3, len(lines))], "\n")
			}
		}
	}
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// ended says how a process ended, with its last words.
func ended(how string, t *tail) string {
	detail := fmt.Sprintf("the worker process ended (%s)", how)
	if words := t.words(); words != "" {
		detail += "; it wrote:\n" + words
	}
	return detail
}
