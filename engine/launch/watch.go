package launch

// Watch says what a launcher that watches its launches looks for, and how long they
// may take. The zero value reports everything, measures, and has the launcher's own
// limit.
type Watch struct {
	Unchecked    []ReportKind // what is not reported
	Unmeasured   bool         // nothing is counted
	Instructions int64        // of a launch; 0 is the launcher's own limit
	Seconds      float64      // of all launches of a sequence; 0 is no limit
	Memory       int64        // of a sequence, in bytes: its buffers and what its kernels declare; 0 is the launcher's own limit
}
