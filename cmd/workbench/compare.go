package main

import (
	"github.com/spf13/cobra"

	"workbench/engine/trace"
)

// compareFlags are the flags of `workbench compare`.
type compareFlags struct {
	decoder       decoderFlags
	asJSON, asCSV bool
}

func (p *program) compareCommand(name string) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare REFERENCE CANDIDATE",
		Short: "Hold every value of one device against those of another",
		Long: "Hold every value of one device against those of another: the small products\n" +
			"and reductions, every logit, the loss and every gradient of the decoder.\n\n" +
			"Of two devices that add in the same order under the same contract, finite\n" +
			"values agree when they are equal in every bit; of any others, when\n" +
			"|candidate − reference| is within the tolerance of the precision. The criterion\n" +
			"is fixed before the run and printed with the result. The exit status is 1 if any\n" +
			"value does not agree.",
		Example: example(name, "compare cpu cpu,fused", "compare cpu emulator", "compare emulator cuda:0", "compare cpu cpu,fused --precision float32", "compare cpu cpu,fused --json", "compare cpu cpu,fused --csv > values.csv"),
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 2:
				return nil
			case 0:
				return usagef("compare takes two devices, as in: %s compare cpu cpu,fused", name)
			case 1:
				return usagef("compare takes two devices and was given %q alone, as in: %s compare %s cpu,fused", args[0], name, args[0])
			}
			return usagef("%q is one argument too many: compare takes two devices", args[2])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.compare(cmd, args[0], args[1], f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.asJSON, "json", false, "print the report with every value as JSON")
	flags.BoolVar(&f.asCSV, "csv", false, "print every value as CSV, one a line")
	f.decoder.add(flags)
	libraryFlag(flags)
	return cmd
}

func (p *program) compare(cmd *cobra.Command, reference, candidate string, f compareFlags) error {
	if f.asJSON && f.asCSV {
		return usagef("--json and --csv: choose one of them")
	}
	c, err := p.openDevice(cmd.Context(), "REFERENCE", reference)
	if err != nil {
		return err
	}
	defer c.Close()
	u, err := p.openDevice(cmd.Context(), "CANDIDATE", candidate)
	if err != nil {
		return err
	}
	defer u.Close()

	waiting := p.startProgress("comparing " + reference + " with " + candidate)
	report, err := trace.CompareDevices(cmd.Context(), c, u, f.decoder.input(), func(note string, _, _ int) { waiting.Note(note) })
	waiting.Done()
	if err != nil {
		return flagOfField(err)
	}
	switch {
	case f.asJSON:
		err = p.writeJSON(report)
	case f.asCSV:
		err = report.WriteCSV(p.stdout)
	default:
		err = report.WriteText(p.stdout)
	}
	if err == nil && !report.Passed {
		return errReported
	}
	return err
}
