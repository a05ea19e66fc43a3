package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/internal/checkup"
)

// execute runs the command line and gives its exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if v := recover(); v != nil { // Go's own exit code of a panic would say: wrong usage
			fmt.Fprintf(stderr, "spool: internal: panic: %v\n%s", v, debug.Stack())
			code = exitInternal
		}
	}()
	root := rootCommand(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(args)
	return report(stderr, root.ExecuteContext(ctx))
}

// rootCommand holds all commands, made for one call with the given arguments.
func rootCommand(args []string) *cobra.Command {
	root := group("spool", "Decode, batch and measure pictures, video and sound; say what media files are")
	root.Version = checkup.Version()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%v", err) })
	root.SetHelpCommand(helpCommand())

	run := group("run", "Drive the whole loader and throw the batches away")
	run.AddCommand(runImagesCommand(args), runVideoCommand(args), runAudioCommand(args))
	bench := group("bench", "Measure, with the keys and definitions of the peers' benchmark")
	bench.AddCommand(benchImagesCommand(args), benchTrainCommand(args), benchVideoCommand(args), benchVideoFullCommand(args), benchAudioCommand(args),
		benchCodecCommand(args), benchTransferCommand(args))
	root.AddCommand(probeCommand(args), decodeCommand(args), indexCommand(args), listCommand(args), cacheCommand(args), run, replayCommand(args), bench, parityCommand(args), doctorCommand(args))
	return root
}

// group is a command that only holds others.
func group(name, short string) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s: what? One of %s", c.CommandPath(), members(c))
			}
			return usagef("%s: unknown command %q; there is %s", c.CommandPath(), args[0], members(c))
		},
	}
}

func members(c *cobra.Command) string {
	var names []string
	for _, member := range c.Commands() {
		if member.IsAvailableCommand() {
			names = append(names, member.Name())
		}
	}
	return strings.Join(names, ", ")
}

// helpCommand is the library's, but for an unknown topic, which is wrong usage.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command and its flags",
		RunE: func(c *cobra.Command, args []string) error {
			topic, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("help: unknown command %q", strings.Join(args, " "))
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
	}
}
