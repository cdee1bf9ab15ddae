package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"unicode/utf8"
)

// FuzzQuery reads the address of a download. What is taken is an object that
// has each field as it was written.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{"", "a=cpu&b=cpu,fused&text=ab&seed=039&width=4", "a=cpu&b=cpu&text=%ff", "a=1&a=2&b=3", "a=x&b=y&z=00&t=18446744073709551616", "%zz", "a;b=c"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		u := &url.URL{Path: "/api/compare.csv", RawQuery: query}
		reference, candidate, input, err := readQuery(&http.Request{URL: u})
		if err != nil {
			if f := asFailure(err); f.status != 400 || !utf8.ValidString(f.sentence) {
				t.Errorf("%q: status %d, %q", query, f.status, f.sentence)
			}
			return
		}
		var fields map[string]any
		if err := json.Unmarshal(input, &fields); err != nil {
			t.Fatalf("%q gives %s: %v", query, input, err)
		}
		values := u.Query()
		if reference != values.Get("a") || candidate != values.Get("b") || len(fields) != len(values)-2 {
			t.Errorf("%q gives %q, %q, %s", query, reference, candidate, input)
		}
		if text, ok := fields["text"]; ok && text != values.Get("text") {
			t.Errorf("%q gives the text %q", query, text)
		}
	})
}
