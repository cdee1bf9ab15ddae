package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"workbench/engine/compare"
	"workbench/engine/trace"
	"workbench/web/guard"
	"workbench/web/run"
)

// mostComparisons bounds the downloads that are computed at once.
const mostComparisons = 2

// compareCSV and compareJSON are the comparison that a page links to: two
// devices, ?a=cpu&b=cpu,fused, and the input of a decoder, field by field.
func (s *Server) compareCSV(w http.ResponseWriter, r *http.Request) error {
	report, err := s.comparison(r)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := report.WriteCSV(&out); err != nil {
		return err
	}
	download(w, report, "csv", "text/csv; charset=utf-8", out.Bytes())
	return nil
}

func (s *Server) compareJSON(w http.ResponseWriter, r *http.Request) error {
	report, err := s.comparison(r)
	if err != nil {
		return err
	}
	body, err := json.Marshal(report)
	if err != nil {
		return err
	}
	download(w, report, "json", "application/json", append(body, '\n'))
	return nil
}

func download(w http.ResponseWriter, report *compare.Report, ending, kind string, body []byte) {
	plain := strings.NewReplacer(":", "-", ",", "-").Replace
	name := fmt.Sprintf("comparison-%s-%s.%s", plain(report.Reference), plain(report.Candidate), ending)
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // the client may have gone
}

// comparison runs what a request asks for.
func (s *Server) comparison(r *http.Request) (*compare.Report, error) {
	if !guard.SameSite(r) {
		return nil, &failure{status: http.StatusForbidden, sentence: "Another site's page may not start a comparison."}
	}
	reference, candidate, input, err := readQuery(r)
	if err != nil {
		return nil, err
	}
	select {
	case s.compare <- struct{}{}:
		defer func() { <-s.compare }()
	default:
		return nil, &run.Failure{Code: run.CodeBusy, Message: "Two comparisons are being computed already.", Next: "Try again in a moment."}
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.limits.RunTime, run.ErrTimeLimit)
	defer cancel()
	report, err := s.runner.Compare(ctx, reference, candidate, trace.ExampleDecoder, input, func(string, int, int) {})
	if err != nil {
		return nil, run.Ended(ctx, err)
	}
	return report, nil
}

// readQuery turns a query into two devices and an input's JSON. Which fields
// an input has is the engine's to know.
func readQuery(r *http.Request) (reference, candidate string, input json.RawMessage, err error) {
	bad := func(field, reason string) (string, string, json.RawMessage, error) {
		return "", "", nil, &run.Failure{Code: run.CodeInput, Field: field, Message: reason}
	}
	fields := map[string]any{}
	for name, values := range r.URL.Query() {
		value := values[0]
		switch {
		case !utf8.ValidString(name) || !utf8.ValidString(value):
			return bad(strings.ToValidUTF8(name, "?"), "is not UTF-8")
		case len(values) > 1:
			return bad(name, "is given twice")
		case name == "a":
			reference = value
		case name == "b":
			candidate = value
		case name == "text":
			fields[name] = value
		default:
			fields[name] = value
			if _, err := strconv.ParseUint(value, 10, 64); err == nil {
				fields[name] = json.RawMessage(strings.TrimLeft(value[:len(value)-1], "0") + value[len(value)-1:])
			}
		}
	}
	if reference == "" || candidate == "" {
		return bad("a and b", "name the two devices, as in ?a=cpu&b=cpu,fused")
	}
	input, err = json.Marshal(fields)
	return reference, candidate, input, err
}
