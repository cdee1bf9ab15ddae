package licences

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write assets/licences.md")

const root = "../../.."

// The list in the repository is that of the modules and packages it uses now.
func TestListIsCurrent(t *testing.T) {
	path := filepath.Join(root, "assets", "licences.md")
	old, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	components, err := Collect(root)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range components {
		if c.Text != "" || !c.Use.handedOut() {
			continue
		}
		text, ok := Section(string(old), c.Name)
		if !ok {
			t.Fatalf("the licence of %s is neither in the list nor at hand: run `npm ci` in assets, then this test with -update", c.Name)
		}
		components[i].Text = text
	}
	now := Document(components)
	if *update {
		if err := os.WriteFile(path, []byte(now), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if now == string(old) {
		return
	}
	was, is := strings.Split(string(old), "\n"), strings.Split(now, "\n")
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] {
			t.Fatalf("assets/licences.md is stale at line %d:\n has %q\nneeds %q\nrun this test with -update", i+1, was[i], is[i])
		}
	}
	t.Fatalf("assets/licences.md is stale: it has %d lines and needs %d; run this test with -update", len(was), len(is))
}

func TestClassify(t *testing.T) {
	const (
		mit    = "Permission is hereby granted, free of charge, to any person obtaining a copy of it.\nThe above copyright notice and this permission\nnotice shall be included."
		bsd2   = "Redistributions of source code must retain it. Redistributions in binary form must reproduce it."
		bsd3   = bsd2 + " Neither the name of its author may be used."
		apache = "Apache License\n   Version 2.0, January 2004"
		zero   = "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted."
	)
	for _, c := range []struct{ text, want string }{
		{mit, "MIT"},
		{bsd2, "BSD-2-Clause"},
		{bsd3, "BSD-3-Clause"},
		{apache, "Apache-2.0"},
		{"Licensed under the Apache License, Version 2.0 (the \"License\")", "Apache-2.0"},
		{zero, "0BSD"},
		{strings.TrimSuffix(zero, ".") + ", provided that the above copyright notice appears.", "ISC"},
		{mit + apache, "Apache-2.0 AND MIT"},
		{"Mozilla Public License Version 2.0", "MPL-2.0"},
	} {
		if got, err := Classify(c.text); got != c.want || err != nil {
			t.Errorf("%.40q is %q, %v, want %s", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "All rights reserved.", "GNU GENERAL PUBLIC LICENSE Version 3", "Permission is hereby granted, free of charge"} {
		if got, err := Classify(text); err == nil {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}

func TestSection(t *testing.T) {
	doc := Document([]Component{
		{Name: "b", Version: "v2", Licence: "MIT", Use: Browser, Text: "text of b\n\nwith a gap\n"},
		{Name: "a", Version: "v1", Licence: "ISC", Use: Program, Text: "text of a"},
		{Name: "c", Version: "v3", Licence: "MIT", Use: Tools, Text: "text of c"},
	})
	for name, want := range map[string]string{"a": "text of a", "b": "text of b\n\nwith a gap"} {
		if got, ok := Section(doc, name); !ok || got != want {
			t.Errorf("section %s is %q, %v, want %q", name, got, ok, want)
		}
	}
	if _, ok := Section(doc, "c"); ok || strings.Contains(doc, "text of c") {
		t.Error("a tool is not handed out, and its licence is printed")
	}
	if !strings.Contains(doc, "| a | v1 | ISC | program |\n| b | v2 | MIT | browser |\n| c | v3 | MIT | tools |\n") {
		t.Errorf("the table is not in order:\n%s", doc)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := read(Component{Name: "x"}, dir); err == nil || !strings.Contains(err.Error(), "no licence file") {
		t.Errorf("a folder without a licence: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "LICENSE"), []byte("Ask me first."), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := read(Component{Name: "x"}, dir); err == nil || !strings.Contains(err.Error(), "no known licence") {
		t.Errorf("an unknown licence: %v", err)
	}
}
