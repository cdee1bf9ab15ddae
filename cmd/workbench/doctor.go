package main

import (
	"fmt"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"workbench/assets"
	"workbench/cmd/internal/machine"
	"workbench/engine"
)

func (p *program) doctorCommand(name string) *cobra.Command {
	var asJSON, verbose bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine can do, and how to get the rest",
		Long: "Say what this machine can do, and how to get the rest: its devices, what a GPU\n" +
			"needs, and the programs that building and testing the course can use. Nothing is\n" +
			"changed. With --verbose it also says where libraries were looked for.",
		Example: example(name, "doctor", "doctor --verbose", "doctor --json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			waiting := p.startProgress("asking the GPUs' driver and the installed programs for their versions")
			s := machine.Real()
			s.Bundle = assets.HasBundle()
			var looks sync.WaitGroup // a driver takes its time to start, in each process anew
			looks.Go(func() { s.Devices = engine.List(cmd.Context()) })
			looks.Go(func() {
				cuda, err := engine.ProbeCUDA(cmd.Context())
				if err == nil || cuda.Missing != nil {
					s.CUDA = &cuda
				}
			})
			looks.Wait()
			findings := machine.Examine(cmd.Context(), s)
			waiting.Done()
			if asJSON {
				return p.writeJSON(findings)
			}
			return p.writeFindings(findings, verbose)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: an array of findings")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "say also where libraries were looked for")
	libraryFlag(cmd.Flags())
	return cmd
}

// writeFindings prints the findings by topic, the missing ones with what to do.
// Verbose adds asides and where libraries were looked for.
func (p *program) writeFindings(findings []machine.Finding, verbose bool) error {
	headings := map[string]string{
		"machine": "This machine",
		"devices": "Devices",
		"gpu":     "For GPUs",
		"program": "The course",
		"tests":   "For ./course test",
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	topic := ""
	for _, f := range findings {
		if f.Aside() && !verbose {
			continue
		}
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
		if verbose {
			for _, t := range f.Tried {
				fmt.Fprintf(w, "\t\ttried %s\n", t)
			}
		}
	}
	return w.Flush()
}
