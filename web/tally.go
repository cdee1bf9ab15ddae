package web

import (
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// A tally counts what each address has done within a minute. It is bounded: what more
// addresses do is counted together.
type tally struct {
	mu    sync.Mutex
	since time.Time
	count map[netip.Prefix]int
}

// tallies are what a server counts of other machines.
type tallies struct {
	wrong  tally // codes and links that lead nowhere
	passes tally // reports of exercises
}

// Of one address, a minute. A class may share one: behind a router, say.
const (
	mostWrong  = 20
	mostPasses = 300
)

// mostCounted bounds the addresses that are told apart.
const mostCounted = 4096

var minuteNow = time.Now

// add counts one more, and returns how many there were within the minute.
func (t *tally) add(r *http.Request) int {
	who := whoOf(r)
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := minuteNow(); t.count == nil || now.Sub(t.since) >= time.Minute {
		t.since, t.count = now, map[netip.Prefix]int{}
	}
	if _, known := t.count[who]; !known && len(t.count) >= mostCounted {
		who = netip.Prefix{}
	}
	t.count[who]++
	return t.count[who]
}

// whoOf returns the address that a request comes from, of IPv6 the network that one
// household or one machine has.
func whoOf(r *http.Request) netip.Prefix {
	a, ok := addressOf(r.RemoteAddr)
	if !ok {
		return netip.Prefix{}
	}
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}
