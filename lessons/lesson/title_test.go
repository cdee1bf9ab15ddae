package lesson

import "testing"

// TestTitles wants a heading of its own for each kind: on a screen the name of a
// kind says too little.
func TestTitles(t *testing.T) {
	seen := map[string]FindingKind{}
	for _, k := range FindingKinds {
		title := k.Title()
		if titles[k] == "" {
			t.Errorf("%s has no title", k)
		}
		if other, ok := seen[title]; ok {
			t.Errorf("%s and %s are both called %q", k, other, title)
		}
		seen[title] = k
	}
	if got := FindingKind("out-of-bounds").Title(); got != "Out of bounds" {
		t.Errorf("a report of the emulator is called %q", got)
	}
}
