package main

import (
	"cmp"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// joinAddresses are the URLs by which other machines reach a listener on host, the
// likeliest first.
func joinAddresses(l net.Listener, host string) []string {
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		return []string{addressOf(l, host)}
	}
	tcp, ok := l.Addr().(*net.TCPAddr)
	both := ok && len(tcp.IP) == net.IPv6len && tcp.IP.To4() == nil
	var urls []string
	for _, a := range machineAddresses() {
		if a.Is4() || both {
			urls = append(urls, addressOf(l, a.String()))
		}
	}
	if len(urls) == 0 { // no network now; there may be one before the lesson begins
		return []string{addressOf(l, host)}
	}
	return urls
}

// mostAddresses bounds the addresses that are shown.
const mostAddresses = 4

// machineAddresses returns the addresses of this machine's interfaces by which others
// may reach it, the likeliest first.
func machineAddresses() []netip.Addr {
	var found []reachedBy
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addresses, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, a := range addresses {
			if prefix, err := netip.ParsePrefix(a.String()); err == nil {
				found = append(found, reachedBy{prefix.Addr().Unmap(), i.Name})
			}
		}
	}
	return likeliest(found, outward())
}

// reachedBy is an address of an interface.
type reachedBy struct {
	address netip.Addr
	by      string
}

// likeliest sorts addresses: a private network of people before one of containers,
// IPv4 before IPv6, and of those alike the one that leads outward first.
func likeliest(found []reachedBy, outward netip.Addr) []netip.Addr {
	rank := func(a reachedBy) int {
		n := 0
		if !a.address.Is4() {
			n += 8
		}
		if inner(a.by) {
			n += 4
		}
		if !a.address.IsPrivate() {
			n += 2
		}
		if a.address != outward {
			n++
		}
		return n
	}
	found = slices.DeleteFunc(slices.Clone(found), func(a reachedBy) bool {
		return a.address.IsLinkLocalUnicast() || !a.address.IsGlobalUnicast()
	})
	slices.SortStableFunc(found, func(a, b reachedBy) int { return cmp.Compare(rank(a), rank(b)) })
	var out []netip.Addr
	for _, a := range found {
		if !slices.Contains(out, a.address) && len(out) < mostAddresses {
			out = append(out, a.address)
		}
	}
	return out
}

// inner reports whether an interface leads to what runs on this machine, by the names
// that Docker, Podman and libvirt give.
func inner(name string) bool {
	for _, prefix := range []string{"docker", "br-", "veth", "virbr", "podman", "cni", "vmnet", "bridge"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// outward is the address from which packets leave for elsewhere. Nothing is sent: the
// system is asked which way it would take to an address that documents use.
func outward() netip.Addr {
	conn, err := net.Dial("udp4", "192.0.2.1:9")
	if err != nil {
		return netip.Addr{}
	}
	defer conn.Close()
	if a, ok := conn.LocalAddr().(*net.UDPAddr); ok {
		return a.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// hostNames are the names that a class may type for this machine: the one it listens
// by, and its own, as multicast DNS has it too.
func hostNames(host string) []string {
	names := []string{host}
	own, err := os.Hostname()
	if err != nil || own == "" {
		return names
	}
	short, _, _ := strings.Cut(own, ".")
	return append(names, own, short, short+".local")
}
