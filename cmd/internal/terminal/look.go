// Package terminal draws what the exercise commands say: verdicts, lists, the
// grid of a check of all, and the screen that watches a file.
//
//	look := terminal.Of(os.Stdout, os.Getenv)
//	look.Print(os.Stdout, look.Verdict(verdict, standing))
//
// Everything is text first. Colour only repeats what a mark or a word says, is
// chosen to be read on a light and on a dark background, and is left out where
// the terminal or its user wants none. No line is wider than the terminal.
package terminal

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
)

// How wide a text may be: one that nobody sees has the usual width, and lines of
// prose are not longer on a wide screen than one reads with ease.
const (
	usualWidth = 80
	leastWidth = 20
	proseWidth = 88
)

// Look is what a terminal can show, and how the program is called there.
type Look struct {
	Width   int                  // columns
	Profile colorprofile.Profile // which colours
	Live    bool                 // a person sees it at once: lines may be drawn anew
	Links   bool                 // it knows OSC 8
	Piped   bool                 // into a file or a program: nothing is cut off
	Command string               // how the program is called: "./course"
}

// Of looks at what output is written to.
func Of(w io.Writer, getenv func(string) string) Look {
	l := Look{Width: usualWidth, Command: getenv("COURSE_COMMAND")}
	if l.Command == "" {
		l.Command = "workbench"
	}
	l.Profile = colorprofile.Detect(w, environment(getenv))
	f, ok := w.(term.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		l.Piped = true
		return l
	}
	l.Live = getenv("TERM") != "dumb"
	if file, ok := w.(*os.File); ok && l.Live {
		lipgloss.EnableLegacyWindowsANSI(file) // of Windows before its Terminal; nothing elsewhere
	}
	l.Links = l.Profile > colorprofile.NoTTY && linked(getenv)
	if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
		l.Width = width
	} else if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		l.Width = n
	}
	l.Width = max(l.Width, leastWidth)
	return l
}

// IsTerminal says whether a person is at the other end of a stream.
func IsTerminal(stream any) bool {
	f, ok := stream.(term.File)
	return ok && term.IsTerminal(f.Fd())
}

// environment is what decides about colours. NO_COLOR counts whatever it holds,
// as its convention says.
func environment(getenv func(string) string) []string {
	var env []string
	for _, name := range []string{"TERM", "COLORTERM", "CLICOLOR", "CLICOLOR_FORCE", "TERM_PROGRAM", "TMUX", "STY", "WT_SESSION", "ConEmuANSI", "GOOGLE_CLOUD_SHELL"} {
		if value := getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	if getenv("NO_COLOR") != "" {
		env = append(env, "NO_COLOR=1")
	}
	return env
}

// linked says whether a terminal is known to show OSC 8 links. No terminal can
// be asked, and a few write the address out.
func linked(getenv func(string) string) bool {
	name := getenv("TERM")
	if strings.HasPrefix(name, "screen") || strings.HasPrefix(name, "tmux") {
		return false
	}
	switch getenv("TERM_PROGRAM") {
	case "iTerm.app", "vscode", "WezTerm", "ghostty", "Hyper", "Tabby", "zed":
		return true
	}
	for _, known := range []string{"kitty", "alacritty", "foot", "ghostty", "wezterm"} {
		if strings.Contains(name, known) {
			return true
		}
	}
	vte, _ := strconv.Atoi(getenv("VTE_VERSION"))
	return vte >= 5000 || getenv("WT_SESSION") != "" || getenv("KONSOLE_VERSION") != ""
}

// Print writes a drawn text, with the colours that the terminal has.
func (l Look) Print(w io.Writer, text string) error {
	_, err := io.WriteString(&colorprofile.Writer{Forward: w, Profile: l.Profile}, text)
	return err
}

// The colours are those of the 256 that have about the same contrast to white as
// to black, so that nobody needs to know the background, which not every
// terminal tells. A terminal of 16 colours shows its own nearest.
var (
	good   = lipgloss.NewStyle().Foreground(lipgloss.Color("28")).Bold(true)  // passed
	bad    = lipgloss.NewStyle().Foreground(lipgloss.Color("196")).Bold(true) // not passed
	next   = lipgloss.NewStyle().Foreground(lipgloss.Color("130")).Bold(true) // what is to be done
	place  = lipgloss.NewStyle().Foreground(lipgloss.Color("31"))             // a file, a command
	aside  = lipgloss.NewStyle().Foreground(lipgloss.Color("243"))            // what frames the rest
	strong = lipgloss.NewStyle().Bold(true)
)

// Marks say in one character what the colours repeat.
const (
	markPassed  = "✓"
	markFailed  = "✗"
	markNext    = "▸"
	markPending = "·"
	markRunning = "…"
)

// command writes how a command is called, as one that is to be typed.
func (l Look) command(words string) string {
	return styled(place, l.Command+" "+words)
}

// file writes a path, as a link where one can be followed.
func (l Look) file(path, behind string) string {
	text := styled(place, path+behind)
	if !l.Links {
		return text
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return text
	}
	host, _ := os.Hostname()
	to := url.URL{Scheme: "file", Host: host, Path: filepath.ToSlash(full)}
	return place.Hyperlink(to.String()).Render(path + behind)
}
