package live

import (
	"crypto/rand"
	"slices"
	"time"

	"workbench/web/run"
)

// A presenter is somebody with a presenter's cookie.
type presenter struct {
	ID    string `json:"id"`
	Token digest `json:"token"` // of the cookie
	seen  time.Time
	wants bool // the wheel
}

// An invite is a link that makes somebody a presenter, once.
type invite struct {
	Secret digest    `json:"secret"`
	Until  time.Time `json:"until"`
}

// mostInvites bounds the links of a room that nobody has used, mostUsed those that
// were used and are still told from what never was a link, mostPresenters those who
// used one.
const (
	mostInvites    = 8
	mostUsed       = 32
	mostPresenters = 16
)

var now = time.Now

// Invite returns the secret of a link that makes somebody a presenter of the room.
func (r *Room) Invite() (secret string) {
	r.mu.Lock()
	secret = r.invite()
	r.mu.Unlock()
	_ = r.saveNow() // logged
	return secret
}

func (r *Room) invite() string {
	secret := NewSecret()
	r.invites = slices.DeleteFunc(r.invites, func(i invite) bool { return now().After(i.Until) })
	if len(r.invites) >= mostInvites {
		r.invites = r.invites[1:]
	}
	r.invites = append(r.invites, invite{digestOf(secret), now().Add(r.limits.Invite)})
	return secret
}

// redeem makes whoever has the secret a presenter. That it is used up is written
// down before anybody learns of it.
func (r *Room) redeem(secret string) (token string, ok bool) {
	if token, ok = r.admit(secret); ok {
		_ = r.saveNow() // logged
	}
	return token, ok
}

func (r *Room) admit(secret string) (token string, ok bool) {
	d := digestOf(secret)
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.invites, func(i invite) bool { return i.Secret.is(d) && !now().After(i.Until) })
	if i < 0 || r.closed {
		return "", false
	}
	r.used = append(r.used, d)
	r.used = r.used[max(0, len(r.used)-mostUsed):]
	r.invites = slices.Delete(r.invites, i, i+1)
	if len(r.presenters) >= mostPresenters {
		// Who was not seen for longest, and does not drive, makes place.
		at := -1
		for i, p := range r.presenters {
			if p.ID != r.state.Driver && !r.isHere(p) && (at < 0 || p.seen.Before(r.presenters[at].seen)) {
				at = i
			}
		}
		if at < 0 {
			return "", false
		}
		r.presenters = slices.Delete(r.presenters, at, at+1)
	}
	token = rand.Text() + rand.Text()
	p := &presenter{ID: newName(), Token: digestOf(token), seen: now()}
	r.presenters = append(r.presenters, p)
	if r.state.Driver == "" {
		r.hand(p)
	}
	r.classChanged()
	return token, true
}

// link returns what became of a link with that secret, if it was one of the room's.
func (r *Room) link(d digest) Link {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.used, d.is) {
		return LinkUsed
	}
	for _, i := range r.invites {
		switch {
		case !i.Secret.is(d):
		case now().After(i.Until):
			return LinkOver
		default:
			return LinkHolds
		}
	}
	return LinkUnknown
}

// Presenter returns whose cookie holds the token.
func (r *Room) Presenter(token string) (id string, ok bool) {
	d := digestOf(token)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.presenters {
		if p.Token.is(d) {
			return p.ID, true
		}
	}
	return "", false
}

func (r *Room) isHere(p *presenter) bool {
	for _, m := range r.pages {
		if m.presenter == p {
			return true
		}
	}
	return false
}

func (r *Room) driverHere() bool {
	for _, p := range r.presenters {
		if p.ID == r.state.Driver {
			return r.isHere(p)
		}
	}
	return false
}

// hand gives somebody the wheel.
func (r *Room) hand(p *presenter) {
	r.state.Lease++
	r.state.Driver = p.ID
	for _, other := range r.presenters {
		other.wants = false
	}
	r.tellState()
	r.classChanged()
}

// take asks for the wheel, and gets it where nobody holds it. It reports whether
// it was got.
func (r *Room) take(p *presenter) bool {
	if p.ID == r.state.Driver {
		return true
	}
	free := true
	for _, other := range r.presenters {
		if other.ID == r.state.Driver {
			free = !r.isHere(other) && now().Sub(other.seen) >= r.limits.Grace
		}
	}
	if free {
		r.hand(p)
		return true
	}
	p.wants = true
	r.classChanged()
	r.bequeath()
	return false
}

// bequeath has the wheel of who is gone go to whoever wants it, once it stays with who
// is gone no longer.
func (r *Room) bequeath() {
	heir, gone := r.heir(), r.away()
	if heir == nil || gone == nil || r.closed || r.state.Ended || r.wheelLater != nil {
		return
	}
	r.wheelLater = time.AfterFunc(max(0, r.limits.Grace-now().Sub(gone.seen)), func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.wheelLater = nil
		if heir := r.heir(); heir != nil && !r.closed && !r.state.Ended && r.away() == gone && now().Sub(gone.seen) >= r.limits.Grace {
			r.hand(heir)
			return
		}
		r.bequeath() // they were here meanwhile
	})
}

// heir returns who wants the wheel and is here, or nil.
func (r *Room) heir() *presenter {
	for _, p := range r.presenters {
		if p.wants && r.isHere(p) {
			return p
		}
	}
	return nil
}

// away returns who has the wheel and is not here, or nil.
func (r *Room) away() *presenter {
	for _, p := range r.presenters {
		if p.ID == r.state.Driver && !r.isHere(p) {
			return p
		}
	}
	return nil
}

// give hands the wheel on.
func (r *Room) give(p *presenter, to string) error {
	if f := r.mayDrive(p, r.state.Lease); f != nil {
		return f
	}
	for _, other := range r.presenters {
		if other.ID == to {
			r.hand(other)
			return nil
		}
	}
	return &run.Failure{Code: run.CodeInput, Field: "to", Message: "There is no presenter of that name in the room."}
}

// mayDrive returns why somebody may not, or nil.
func (r *Room) mayDrive(p *presenter, lease int) *run.Failure {
	switch {
	case p == nil:
		return &run.Failure{Code: CodeForbidden, Message: "Only the presenter changes what the class sees."}
	case r.state.Ended:
		return &run.Failure{Code: CodeEnded, Message: "The lesson has ended."}
	case p.ID != r.state.Driver || lease != r.state.Lease:
		return &run.Failure{Code: CodeLease, Message: "Another presenter has the wheel.", Next: "Take it, or ask for it."}
	}
	return nil
}
