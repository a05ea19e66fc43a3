package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// execute runs the command line and gives its exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "spool",
		Short:         "Decode, batch and measure images, video and audio",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(args)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagProblems(c, args, err) })
	decode := group("decode", "Decode a file into an NPY array")
	decode.AddCommand(decodeImageCommand())
	run := group("run", "Drive the whole loader and throw the batches away")
	run.AddCommand(runImagesCommand())
	bench := group("bench", "Measure, with the keys and definitions of the peers' benchmark")
	bench.AddCommand(benchImagesCommand())
	root.AddCommand(probeCommand(), decode, run, bench, doctorCommand())
	return report(stderr, root.ExecuteContext(ctx))
}

// group is a command that only holds others.
func group(name, short string) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s: say what: one of %s", c.CommandPath(), names(c))
			}
			return usagef("%s: unknown command %q: one of %s", c.CommandPath(), args[0], names(c))
		},
	}
}

func names(c *cobra.Command) string {
	list := ""
	for i, sub := range c.Commands() {
		if i > 0 {
			list += ", "
		}
		list += sub.Name()
	}
	return list
}
