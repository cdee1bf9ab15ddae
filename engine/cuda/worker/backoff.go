package worker

import "time"

// backoff keeps a worker that cannot start from being started for every request.
type backoff struct {
	failures int
	until    time.Time
	err      error
}

const (
	firstWait = 100 * time.Millisecond
	mostWait  = 5 * time.Second
)

// failed notes a start that failed. The next one may be tried after a wait that
// doubles each time.
func (b *backoff) failed(err error, now time.Time) {
	wait := mostWait
	if b.failures < 6 {
		wait = firstWait << b.failures
	}
	b.failures++
	b.until, b.err = now.Add(wait), err
}

// refusal is the error of the last start, as long as the wait lasts.
func (b *backoff) refusal(now time.Time) error {
	if b.failures > 0 && now.Before(b.until) {
		return b.err
	}
	return nil
}
