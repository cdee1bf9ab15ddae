package worker

import "testing"

func TestBuild(t *testing.T) {
	id, err := Build()
	if err != nil || len(id) < 32 {
		t.Fatalf("build %q, %v", id, err)
	}
	t.Log(id)
}
