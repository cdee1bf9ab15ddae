// Package load holds a room to what it must bear: a thousand followers who see a step,
// and its values, within 250 ms at the 99th percentile, from a server of less than
// 300 MB; a hundred of them slow or dead without a difference to the rest; and a server
// that is killed and started again, behind which everybody is on the right step within
// 5 s.
//
// The tests are clients of the program and nothing else:
//
//	go test ./web/live/load                                     50 followers, without a clock
//	COURSE_LOAD=1 go test ./web/live/load -run Load -v          1000, for some minutes, with figures
//
// A follower does what its page does on news: it asks for the moment of the step that
// it is shown, keeps it, and fetches the next one ahead (part/moments.js); it asks for
// a run that the presenter made; it loads the chapter to which the lesson goes; and it
// comes back by the pauses of model/live.js. Clients and server share the machine, so
// times include what the clients themselves take; the CPU time of both is printed.
package load
