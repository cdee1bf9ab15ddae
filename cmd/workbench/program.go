package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"workbench/engine"
	"workbench/engine/device"
	"workbench/lessons/runner"
)

// Exit statuses of every command.
const (
	statusOK     = 0
	statusFailed = 1 // the thing asked for failed, or two results differ
	statusUsage  = 2 // the command was called wrongly
)

// program is one run of the workbench and all it knows of its surroundings, so
// that a test can run it whole.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	open           func(ctx context.Context, spec string) (device.Device, error)
	checkGPU       checkGPU             // nil is engine.CheckGPU
	teach          func(*runner.Course) // what a test has otherwise in the course
}

// Main runs the command that args name and returns its exit status. It ends
// early when ctx is cancelled.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, open: engine.Open}
	return p.run(ctx, args)
}

// run is Main for a program whose surroundings are chosen.
func (p *program) run(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(append([]string{}, args...)) // cobra takes nil for os.Args
	command, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil:
		return statusOK
	case errors.Is(err, errReported):
		return statusFailed
	}
	if command == nil {
		command = root
	}
	var usage *usageError
	if !errors.As(err, &usage) {
		failed := err
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
		fmt.Fprintf(p.stderr, "%s: %v\n", command.CommandPath(), err)
		var other *statusError
		if errors.As(failed, &other) {
			return other.status
		}
		return statusFailed
	}
	fmt.Fprintf(p.stderr, "%s: %v\n", command.CommandPath(), err)
	fmt.Fprintf(p.stderr, "Run `%s --help` for what can be written here.\n", command.CommandPath())
	return statusUsage
}

// root returns the command that all others hang from.
func (p *program) root() *cobra.Command {
	name := p.getenv("COURSE_COMMAND")
	if name == "" {
		name = "workbench"
	}
	root := &cobra.Command{
		Use:   name,
		Short: "A course workbench: how tensor work runs on a device, every number shown",
		Long: "A course workbench for people who learn how tensor work runs on a GPU.\n\n" +
			"It serves the chapters to a browser, runs and compares their worked examples in\n" +
			"the terminal, on the device you choose, and checks the exercises that you write\n" +
			"in your own editor.",
		Example:       example(name, "serve --open", "run", "watch", "trace product", "compare cpu cpu,fused"),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          p.onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	const machine = "This machine, and work on the course itself:"
	for _, g := range []struct {
		about    string
		commands []*cobra.Command
	}{
		{"The exercises:", []*cobra.Command{
			p.runCommand(name), p.watchCommand(name), p.listCommand(name), p.hintCommand(name),
			p.resetCommand(name), p.solutionCommand(name), p.checkAllCommand(name),
		}},
		{"The chapters and their examples:", []*cobra.Command{
			p.serveCommand(name), p.presentCommand(name), p.replayCommand(name), p.traceCommand(name), p.compareCommand(name), p.demoCommand(name), p.emulateCommand(name),
		}},
		{machine, []*cobra.Command{
			p.doctorCommand(name), p.gpuCheckCommand(name), p.checkCommand(name), p.testCommand(name), p.versionCommand(name),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: g.about, Title: g.about})
		for _, c := range g.commands {
			c.GroupID = g.about
		}
		root.AddCommand(g.commands...)
	}
	root.SetHelpCommand(p.helpCommand())
	root.SetHelpCommandGroupID(machine)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" { // which answers anything with its help
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(c *cobra.Command, args []string) error {
				var shells []string
				for _, shell := range c.Commands() {
					shells = append(shells, shell.Name())
				}
				if len(args) == 0 {
					return usagef("for which shell? Write %s", list(shells, "or"))
				}
				return usagef("%q is not a shell known here: write %s", args[0], list(shells, "or"))
			}
		}
	}
	return root
}

// helpCommand is `help`, which shows what --help does.
func (p *program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		Long:  "Show what a command does and which flags it takes, as its --help does.",
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			about, rest, err := root.Find(args)
			if err != nil || about == root && len(args) > 0 {
				return p.onlyCommands(root, args)
			}
			if len(rest) > 0 {
				return usagef("%q is one argument too many: %s has no commands of its own", rest[0], about.CommandPath())
			}
			about.InitDefaultHelpFlag() // so that it is listed
			return about.Help()
		},
	}
}

// onlyCommands refuses what is not a command, and names the nearest that is.
func (p *program) onlyCommands(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	root.SuggestionsMinimumDistance = 2
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef("%q is not a command; did you mean %s?", args[0], list(near, "or"))
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			names = append(names, c.Name())
		}
	}
	return usagef("%q is not a command; the commands are %s", args[0], list(names, "and"))
}

// errReported ends a command with status 1 when all there is to say has been
// printed.
var errReported = errors.New("reported")

// A statusError is an error of a command whose exit statuses mean something else.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// A usageError is a call that cannot be understood: it names the flag or the
// argument, and says what would be right.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// flagError says which flag is wrong in the words of this program.
func flagError(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		needed  *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown):
		if unknown.GetSpecifiedShortnames() != "" {
			return usagef("-%s is not a flag: flags are written out, as in --help", unknown.GetSpecifiedShortnames())
		}
		name := unknown.GetSpecifiedName()
		for _, c := range cmd.Commands() {
			if c.Name() == name {
				return usagef("--%s is not a flag but a command: write %s %s", name, cmd.CommandPath(), name)
			}
		}
		if near := nearestFlag(cmd, name); near != "" {
			return usagef("--%s is not a flag; did you mean --%s?", name, near)
		}
		return usagef("--%s is not a flag", name)
	case errors.As(err, &needed):
		return usagef("--%s needs a value, as in --%s %s", needed.GetFlag().Name, needed.GetFlag().Name, exampleValue(needed.GetFlag()))
	case errors.As(err, &invalid):
		cause := invalid.Unwrap()
		if invalid.GetFlag().Value.Type() == "bool" {
			cause = errors.New("it is a switch: write it without a value")
		}
		return usagef("--%s %q: %v", invalid.GetFlag().Name, invalid.GetValue(), cause)
	}
	return &usageError{err}
}

// exampleValues are of the flags whose default is nothing.
var exampleValues = map[string]string{"run": "TestLive", "input": "mine.json", "chapters": "my-chapters", "chapter": "7", "rooms": "rooms", "room": "K7QM2X", "only": "bits", "skip": "sanitizer", "out": "results/", "commit": "0123abc", "cuda-library-dir": "/usr/local/cuda/lib64"}

func exampleValue(f *pflag.Flag) string {
	if f.DefValue == "" {
		return exampleValues[f.Name]
	}
	return f.DefValue
}

// nearestFlag returns the flag of cmd whose name is within two letters of name.
// The distance is cobra's own, of command names.
func nearestFlag(cmd *cobra.Command, name string) string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	if near := names.SuggestionsFor(name); len(near) > 0 {
		return near[0]
	}
	return ""
}

// noArguments refuses arguments of a command that takes flags alone.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%q is one argument too many: %s takes flags alone", args[0], cmd.Name())
	}
	return nil
}

// writeJSON writes v as one line of JSON.
func (p *program) writeJSON(v any) error {
	encoder := json.NewEncoder(p.stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// example writes a command's examples the way help shows them.
func example(name string, lines ...string) string {
	out := ""
	for i, line := range lines {
		if i > 0 {
			out += "\n"
		}
		out += "  " + name + " " + line
	}
	return out
}

// list joins words as a sentence does: "a", "a or b", "a, b or c".
func list(words []string, conjunction string) string {
	out := ""
	for i, word := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			out += " " + conjunction + " "
		default:
			out += ", "
		}
		out += word
	}
	return out
}
