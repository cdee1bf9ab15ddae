package device

// An UnavailableError is a device that cannot be opened here.
type UnavailableError struct {
	Spec   Spec
	Reason string // what is missing
	Next   string // what to do
}

func (e *UnavailableError) Error() string {
	return "device " + e.Spec.String() + " is not available: " + e.Reason + "; " + e.Next
}

// A ClosedError is a request made of a device after it was closed.
type ClosedError struct {
	Spec Spec
}

func (e *ClosedError) Error() string {
	return "device " + e.Spec.String() + " is closed: open it again to use it"
}
