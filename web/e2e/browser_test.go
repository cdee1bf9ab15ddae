package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Environment variables that decide what runs.
const (
	wanted   = "COURSE_E2E"
	required = "COURSE_REQUIRE_E2E"
	named    = "COURSE_CHROMIUM"
	pictures = "COURSE_SCREENSHOTS"
)

// commands by which Chromium goes, the likeliest first.
var commands = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// Time limits. They are for a machine that is busy with other things; nothing
// waits for them where all is well.
const (
	startTime = 60 * time.Second // until the browser answers
	stopTime  = 15 * time.Second // until it has ended
	patience  = 30 * time.Second // until a page shows what a test waits for
)

func TestMain(m *testing.M) {
	code := m.Run()
	closeSites()
	if err := closeBrowser(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e: the browser did not end well:", err)
	}
	os.Exit(code)
}

// chromium is the one that all tests share: starting one takes a second, and
// two at once are more than a small machine has memory for.
var chromium struct {
	once   sync.Once
	ctx    context.Context // nil if it did not start
	cancel context.CancelFunc
	err    error
}

// errNone is why there is nothing to test in.
var errNone = errors.New("no Chromium is in PATH: install it (apt-get install chromium), or name one in " + named)

// theBrowser returns the context of the shared browser, or skips the test.
func theBrowser(t testing.TB) context.Context {
	t.Helper()
	must := os.Getenv(required) != ""
	if !must && os.Getenv(wanted) == "" {
		t.Skip("the pages are tested in a browser by ./course test e2e, or with " + wanted + "=1")
	}
	chromium.once.Do(func() { chromium.err = startBrowser() })
	switch err := chromium.err; {
	case err == nil:
	case errors.Is(err, errNone) && !must:
		t.Skip(err)
	default:
		t.Fatal(err)
	}
	return chromium.ctx
}

// long marks a test that goes through every page.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it goes through every page, and -short leaves that out")
	}
}

func startBrowser() error {
	path, err := findBrowser()
	if err != nil {
		return err
	}
	flags := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path),
		chromedp.Headless, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		// A superuser's Chromium starts in no other way, and it shows our own
		// pages alone.
		chromedp.NoSandbox,
	}
	for _, name := range []string{
		// Nothing of the browser's own may use the network.
		"disable-background-networking", "disable-component-update", "disable-sync", "disable-default-apps",
		"disable-domain-reliability", "disable-client-side-phishing-detection", "disable-extensions",
		"metrics-recording-only", "no-pings", "no-proxy-server",
		// Pages that are not in front go on working.
		"disable-background-timer-throttling", "disable-backgrounding-occluded-windows", "disable-renderer-backgrounding",
		// A test presses keys faster than a person, and each step is an entry
		// of the history.
		"disable-ipc-flooding-protection",
		"disable-dev-shm-usage", "disable-breakpad", "hide-scrollbars", "mute-audio",
	} {
		flags = append(flags, chromedp.Flag(name, true))
	}
	flags = append(flags,
		chromedp.Flag("disable-features", "Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider"),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("lang", "en"),
		chromedp.Flag("password-store", "basic"),
	)
	// Without a folder for its data chromedp makes a new one, and removes it.
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), flags...)
	ctx, stop := chromedp.NewContext(allocator)
	cancel := func() { stop(); stopAllocator() }
	late := time.AfterFunc(startTime, cancel)
	err = chromedp.Do(ctx)
	if !late.Stop() && err == nil {
		err = errors.New("it took too long")
	}
	if err != nil {
		cancel()
		return fmt.Errorf("%s did not start: %w", path, err)
	}
	chromium.ctx, chromium.cancel = ctx, cancel
	return nil
}

func findBrowser() (string, error) {
	if name := os.Getenv(named); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("%s names a browser that cannot be run: %w", named, err)
		}
		return path, nil
	}
	for _, name := range commands {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNone
}

func closeBrowser() error {
	if chromium.ctx == nil {
		return nil
	}
	defer chromium.cancel() // kills what does not end by itself
	ctx, cancel := context.WithTimeout(chromium.ctx, stopTime)
	defer cancel()
	return chromedp.Cancel(ctx)
}
