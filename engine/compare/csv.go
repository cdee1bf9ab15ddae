package compare

import (
	"encoding/csv"
	"io"
	"strconv"

	"workbench/engine/tensor"
)

// csvHeader names the columns of WriteCSV.
var csvHeader = []string{
	"group", "coordinate", "flat", "reference", "candidate", "absolute", "relative", "ulp",
	"reference_bits", "candidate_bits", "allowed", "pass", "reason",
}

// WriteCSV writes a header and a row for each value, with the names and the
// spelling of numbers that JSON uses; a coordinate reads "[0, 1, 17]". A group
// that could not be compared has one row with its name, pass "false" and the
// reason, so that the table fails where the report does.
func (r *Report) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvHeader); err != nil {
		return err
	}
	entries := r.Entries
	for _, g := range r.Groups {
		if g.Reason != "" {
			row := make([]string, len(csvHeader))
			row[0], row[len(row)-2], row[len(row)-1] = g.Name, "false", g.Reason
			if err := out.Write(row); err != nil {
				return err
			}
			continue
		}
		for ; len(entries) > 0 && entries[0].Group == g.Name; entries = entries[1:] {
			if err := out.Write(entries[0].row()); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (e *Entry) row() []string {
	return []string{
		e.Group, tensor.FormatShape(e.Coordinate), strconv.Itoa(e.Flat),
		decimal(e.Reference), decimal(e.Candidate), decimal(e.Absolute), decimal(e.Relative), e.ULP,
		e.ReferenceBits, e.CandidateBits, decimal(e.Allowed), strconv.FormatBool(e.Pass), "",
	}
}
