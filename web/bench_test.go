package web

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"workbench/assets"
	"workbench/chapters"
	"workbench/engine"
)

func course() Options {
	return Options{Chapters: chapters.FS, Assets: assets.FS, HasBundle: assets.HasBundle(), Open: engine.Open, List: engine.List, Emulator: engine.Emulator}
}

// spread reports the median and the largest of single times, which say more
// than the mean that a benchmark prints.
func spread(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(times[len(times)-1].Microseconds())/1000, "ms-worst")
}

// BenchmarkStart reads every chapter and runs every widget, which is what
// stands between starting the program and listening.
func BenchmarkStart(b *testing.B) {
	var times []time.Duration
	for b.Loop() {
		started := time.Now()
		s, err := New(course())
		if err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(started))
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	spread(b, times)
}

// BenchmarkFirstPage writes each chapter's page for the first time.
func BenchmarkFirstPage(b *testing.B) {
	s, err := New(course())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	s.work.Wait() // or the pages would be written twice at once
	for _, slug := range s.Chapters() {
		b.Run(slug, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				b.StopTimer()
				lib, err := s.shelf.Load(b.Context(), nil)
				if err != nil {
					b.Fatal(err)
				}
				e := newEdition(s.site, lib, nil, nil)
				b.StartTimer()
				started := time.Now()
				e.pages[slug].Prepare()
				times = append(times, time.Since(started))
			}
			spread(b, times)
		})
	}
}

// BenchmarkPage asks for each chapter's page over loopback, as a browser does.
func BenchmarkPage(b *testing.B) {
	s, h := start(b, course())
	s.work.Wait()
	for _, slug := range s.Chapters() {
		b.Run(slug, func(b *testing.B) {
			var times []time.Duration
			size := int64(0)
			for b.Loop() {
				started := time.Now()
				r, err := http.NewRequestWithContext(b.Context(), "GET", h.URL+"/chapters/"+slug, nil)
				if err != nil {
					b.Fatal(err)
				}
				r.Header.Set("Accept-Encoding", "gzip")
				response, err := http.DefaultTransport.RoundTrip(r)
				if err != nil {
					b.Fatal(err)
				}
				if size, err = io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != 200 {
					b.Fatal(response.Status, err)
				}
				response.Body.Close()
				times = append(times, time.Since(started))
			}
			spread(b, times)
			b.ReportMetric(float64(size)/1000, "kB")
		})
	}
}

// BenchmarkStep sends a product and reads its trace: the round trip of a page.
func BenchmarkStep(b *testing.B) {
	_, h := start(b, course())
	for name, ask := range map[string]string{
		"product": `{"v":1,"type":"run","id":"%d","example":"product","device":"cpu","input":{"left":[[1,2,3],[4,5,6]],"right":[[7,8],[9,10],[11,12]]}}`,
		"explain": `{"v":1,"type":"explain","id":"%d","run":"page:first-product","chapter":"01-one-product","step":2,"cell":[0,0,1]}`,
		"decoder": `{"v":1,"type":"run","id":"%d","example":"decoder","device":"cpu","input":{}}`,
		"compare": `{"v":1,"type":"compare","id":"%d","devices":["cpu","cpu,fused"],"input":{}}`,
	} {
		b.Run(name, func(b *testing.B) {
			conn, _, err := dial(b, h, nil)
			if err != nil {
				b.Fatal(err)
			}
			if _, _, err := conn.ReadMessage(); err != nil {
				b.Fatal(err)
			}
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				started := time.Now()
				if err := conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, ask, i)); err != nil {
					b.Fatal(err)
				}
				for answered := false; !answered; {
					_, text, err := conn.ReadMessage()
					if err != nil {
						b.Fatal(err)
					}
					start := string(text[:min(len(text), 40)])
					if strings.Contains(start, `"type":"error"`) {
						b.Fatalf("%s", text)
					}
					answered = !strings.Contains(start, `"type":"progress"`)
				}
				times = append(times, time.Since(started))
			}
			spread(b, times)
		})
	}
}
