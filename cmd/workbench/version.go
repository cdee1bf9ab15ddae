package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// commit is the commit the program was built from; ./course sets it at link time.
var commit = "unknown"

func (p *program) versionCommand(name string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print which build this is",
		Example: example(name, "version", "version --json"),
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return p.writeJSON(map[string]string{
					"commit": commit, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(p.stdout, "workbench %s, built with %s for %s/%s\n", commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
