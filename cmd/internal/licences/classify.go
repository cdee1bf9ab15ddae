package licences

import (
	"fmt"
	"strings"
)

// marks are sentences that a licence's text has and no other's, with white
// space made single and letters small. All of them have to be there.
var marks = []struct {
	spdx  string
	has   []string
	lacks string
}{
	{"Apache-2.0", []string{"apache license version 2.0"}, ""},
	{"BSD-2-Clause", []string{"redistributions of source code must retain", "redistributions in binary form must reproduce"}, "neither the name"},
	{"BSD-3-Clause", []string{"redistributions of source code must retain", "redistributions in binary form must reproduce", "neither the name"}, ""},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that"}, ""},
	{"0BSD", []string{"permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted."}, ""},
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy", "the above copyright notice and this permission notice"}, ""},
	{"MPL-2.0", []string{"mozilla public license version 2.0"}, ""},
}

// Classify returns the SPDX expression of a licence text: every licence that
// it contains. A text with none that is known is an error.
func Classify(text string) (string, error) {
	normal := strings.ToLower(strings.Join(strings.Fields(text), " "))
	normal = strings.ReplaceAll(normal, "license, version", "license version")
	var found []string
	for _, m := range marks {
		all := m.lacks == "" || !strings.Contains(normal, m.lacks)
		for _, sentence := range m.has {
			all = all && strings.Contains(normal, sentence)
		}
		if all {
			found = append(found, m.spdx)
		}
	}
	if len(found) == 0 {
		start := strings.TrimSpace(text)
		return "", fmt.Errorf("no known licence in the text that begins %.80q", start)
	}
	return strings.Join(found, " AND "), nil
}
