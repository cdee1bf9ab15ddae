package device

// A ClosedError is a request made of a device after it was closed.
type ClosedError struct {
	Spec Spec
}

func (e *ClosedError) Error() string {
	return "device " + e.Spec.String() + " is closed: open it again to use it"
}
