package live

import "workbench/web/socket"

// Role is what a page is in its room.
type Role string

// Roles. All but a follower's need a presenter's cookie.
const (
	AsFollow  Role = "follow"
	AsStage   Role = "stage"   // what the class sees of a presenter, who drives from it
	AsDesk    Role = "desk"    // what only the presenter sees
	AsPreview Role = "preview" // the next step, on the desk
)

// Presents reports whether a role is a presenter's.
func (r Role) Presents() bool { return r == AsStage || r == AsDesk || r == AsPreview }

// Known reports whether it is a role at all.
func (r Role) Known() bool { return r == AsFollow || r.Presents() }

// runs reports whether a request starts work, and is not a look at what was run.
func runs(kind string) bool {
	switch kind {
	case socket.Run, socket.Compare, socket.Launch, socket.Ladder:
		return true
	}
	return false
}

// looks reports whether a request looks at what was run.
func looks(kind string) bool {
	switch kind {
	case socket.Explain, socket.Moment, socket.Touched, socket.Values:
		return true
	}
	return false
}
