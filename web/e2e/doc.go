// Package e2e tests the workbench as a learner meets it: real chapters, the
// real engine, a real Chromium. It has no code of its own but its tests.
//
// Tests run side by side, each in tabs of its own of the one browser (t.Parallel):
// no tab is behind another, and each acts as if it had the focus. What a test
// changes of a server it changes of one that it has served for itself.
//
// A test opens a Tab on a Site and acts as a person does, by keys and clicks.
// Every tab is watched: a request to another host, an exception that nobody
// caught, a message that the browser logs as an error or a warning, and
// anything that the Content-Security-Policy stopped, fails the test, whatever
// it was about.
//
//	browser_test.go   finds Chromium and starts it, once for all tests
//	tab_test.go       one page: keys, waiting, reading what it shows
//	watch_test.go     what no page may do, and that the watch sees it
//	site_test.go      a server with or without the bundle, stopped and started
//	device_test.go    a GPU; devices that are slow, or flip a bit; a runner that lies
//	page.js           what a test reads of a page, as its reader sees it
//	speed_test.go     benchmarks: how long a link takes to open, and a step to be drawn
//	million_test.go   the same of a launch of a million elements
//
// The other files are tests, one subject each. They run with COURSE_E2E=1, as
// `./course test e2e` does, and are skipped otherwise: they take minutes.
// COURSE_REQUIRE_E2E=1 makes a missing browser a failure; COURSE_CHROMIUM names
// one that is not in PATH; COURSE_SCREENSHOTS=FOLDER also writes pictures of
// every page there, and of the pages on which a test failed. With -short those
// are left out that go through every page.
package e2e
