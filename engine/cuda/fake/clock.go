package fake

import "time"

// A Clock is the time that events are stamped with and that slow kernels take.
type Clock interface {
	Now() time.Duration // since any fixed moment, never going back
	Sleep(d time.Duration)
}

// wall is the machine's own clock.
type wall struct{ start time.Time }

func (w wall) Now() time.Duration    { return time.Since(w.start) }
func (w wall) Sleep(d time.Duration) { time.Sleep(d) }
