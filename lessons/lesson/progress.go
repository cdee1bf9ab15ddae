package lesson

import "time"

// Progress is how far a learner is.
type Progress struct {
	At     string            // the exercise that was chosen last; "" for none
	Passed map[string]Passed // by ID
	Hints  map[string]int    // how many were shown, by ID

	Strange []string // lines of the file that nobody understands
}

// Passed is that an exercise passed. It stays passed.
type Passed struct {
	When time.Time
	On   string // the device
}
