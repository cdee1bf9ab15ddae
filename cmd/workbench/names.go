package main

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

// alias is how others reach a server, as --host gives it: by a name of this machine, at
// the port on which the server listens, or by the address of a proxy.
type alias struct {
	scheme string // "" of a name alone
	host   string // with the port of a proxy, if it is not its scheme's own
}

// hostFlag declares --host.
func (f *serveFlags) hostFlag(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.hosts, "host", nil, "a `name` by which others reach it, as lab-pc.local, or the address of a proxy before it, as https://lab.example.org; may be repeated")
}

// hostName is what DNS takes, and the names that people give in a local network.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$`)

// aliases reads what --host was given.
func (f serveFlags) aliases() ([]alias, error) {
	var all []alias
	for _, given := range f.hosts {
		if hostName.MatchString(strings.ToLower(given)) {
			all = append(all, alias{host: strings.ToLower(given)})
			continue
		}
		u, err := url.Parse(strings.ToLower(given))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return nil, usagef("--host %q: write a name, as in lab-pc.local, or an address without a path, as in https://lab.example.org", given)
		}
		if _, err := netip.ParseAddr(u.Hostname()); err != nil && !hostName.MatchString(u.Hostname()) {
			return nil, usagef("--host %q: %q is no name of a machine", given, u.Hostname())
		}
		if own := map[string]string{"http": "80", "https": "443"}[u.Scheme]; u.Port() == own {
			u.Host = strings.TrimSuffix(u.Host, ":"+own)
		}
		all = append(all, alias{scheme: u.Scheme, host: u.Host})
	}
	return all, nil
}

// url is the address by which others reach a server that listens on l.
func (a alias) url(l net.Listener) string {
	if a.scheme != "" {
		return a.scheme + "://" + a.host
	}
	return addressOf(l, a.host)
}

// name is what a request is sent to.
func (a alias) name() string { return (&url.URL{Host: a.host}).Hostname() }

// names and urls of several.
func names(aliases []alias) []string {
	var all []string
	for _, a := range aliases {
		all = append(all, a.name())
	}
	return all
}

func urls(aliases []alias, l net.Listener) []string {
	var all []string
	for _, a := range aliases {
		all = append(all, a.url(l))
	}
	return all
}
