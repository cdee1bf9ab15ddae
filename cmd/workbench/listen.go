package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
)

// listen opens addr, which a flag gave, and says what is wrong with it.
func listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, usagef("%s %q: write an address and a port, as in 127.0.0.1:8080", flag, addr)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, usagef("%s %q: %q is not a port: write a number from 1 to 65535, or 0 for any that is free", flag, addr, port)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", addr)
	var unknown *net.DNSError
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		other := n + 1
		if n == 65535 {
			other = n - 1
		}
		return nil, fmt.Errorf("%s: %s is in use, perhaps by a workbench that runs already: open %s to see, or choose another port, as in --addr %s",
			flag, addr, address(host, port), net.JoinHostPort(host, strconv.FormatUint(other, 10)))
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s: this user may not listen on %s: choose a port from 1024 up", flag, addr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s: %s is not an address of this machine: 127.0.0.1 always is", flag, host)
	case errors.As(err, &unknown):
		return nil, fmt.Errorf("%s: no address is known by the name %q: 127.0.0.1 is this machine", flag, host)
	}
	return nil, fmt.Errorf("%s: %w", flag, err)
}

// address is the URL by which a browser on this machine reaches host and port.
func address(host, port string) string {
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// addressOf is the URL of a listener that listens on host.
func addressOf(l net.Listener, host string) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return address(host, port)
}

// reachable reports whether other machines can reach a listener.
func reachable(l net.Listener) bool {
	tcp, ok := l.Addr().(*net.TCPAddr)
	return !ok || !tcp.IP.IsLoopback()
}

// browse asks the desktop to open url, and returns once it has been asked.
func browse(url string) error {
	command := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", url}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(command[0], command[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // a browser that this starts may live as long as we do
	return nil
}
