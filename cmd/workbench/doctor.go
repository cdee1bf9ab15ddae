package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"workbench/assets"
	"workbench/cmd/internal/machine"
	"workbench/engine"
)

func (p *program) doctorCommand(name string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine can do, and how to get the rest",
		Long: "Say what this machine can do, and how to get the rest: its devices, and the\n" +
			"programs that building and testing the course can use. Nothing is changed.",
		Example: example(name, "doctor", "doctor --json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			waiting := p.startProgress("asking the installed programs for their versions")
			s := machine.Real()
			s.Devices, s.Bundle = engine.List(cmd.Context()), assets.HasBundle()
			findings := machine.Examine(cmd.Context(), s)
			waiting.Done()
			if asJSON {
				return p.writeJSON(findings)
			}
			return p.writeFindings(findings)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: an array of findings")
	libraryFlag(cmd.Flags())
	return cmd
}

// writeFindings prints the findings by topic, the missing ones with what to do.
func (p *program) writeFindings(findings []machine.Finding) error {
	headings := map[string]string{
		"machine": "This machine",
		"devices": "Devices",
		"program": "The course",
		"tests":   "For ./course test",
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	topic := ""
	for _, f := range findings {
		if f.Topic != topic {
			if topic != "" {
				fmt.Fprintln(w)
			}
			topic = f.Topic
			fmt.Fprintln(w, headings[topic])
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", f.Name, f.Status, f.Detail)
		if f.Next != "" {
			fmt.Fprintf(w, "\t\t→ %s\n", f.Next)
		}
	}
	return w.Flush()
}
