// Package cli is the frame of the command line: it makes the root command, parses flags, and turns errors into lines
// and an exit code.
package cli

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/internal/checkup"
	"github.com/spoolmedia/spool/internal/settings"
)

// Command is a command, or a group of commands.
type Command struct {
	Use, Short string
	Aliases    []string // other names

	// Define adds what a call with the given arguments needs: flags and the action, or the commands of a group.
	Define func(c *cobra.Command, args []string)
}

// make makes the command for one call. Hundreds of flags cost time and memory, so a command that is not named among the
// arguments has none. With nil for arguments, all have them.
func (x Command) make(args []string) *cobra.Command {
	c := &cobra.Command{Use: x.Use, Aliases: x.Aliases, Short: x.Short, RunE: func(c *cobra.Command, _ []string) error {
		panic("cli: " + c.Name() + " was called without being an argument")
	}}
	if args == nil || slices.ContainsFunc(args, func(word string) bool { return word == c.Name() || c.HasAlias(word) }) {
		x.Define(c, args)
	}
	return c
}

// Execute runs a command line with these commands, and returns its exit code.
func Execute(ctx context.Context, args []string, stdout, stderr io.Writer, commands ...Command) (code int) {
	defer func() {
		if v := recover(); v != nil { // Go's exit code of a panic means wrong usage here
			fmt.Fprintf(stderr, "spool: internal: panic: %v\n%s", v, debug.Stack())
			code = ExitInternal
		}
	}()
	root := Root(args, commands...)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(args)
	return Report(stderr, root.ExecuteContext(ctx))
}

// Root returns the root command with commands, made for one call with the given arguments.
func Root(args []string, commands ...Command) *cobra.Command {
	root := &cobra.Command{Use: "spool", Short: "Decode, batch and measure images, video and audio; describe media files"}
	contain(root, args, append(slices.Clip(commands), manualCommand(commands)))
	root.Version = checkup.Version()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return Usagef("%v", err) })
	root.SetHelpCommand(helpCommand())
	root.SetUsageFunc(printUsage)
	describe(root)
	return root
}

// Group returns a command that only contains others.
func Group(name, short string, commands ...Command) Command {
	return Command{Use: name, Short: short, Define: func(c *cobra.Command, args []string) { contain(c, args, commands) }}
}

// contain makes a command one that only contains others.
func contain(c *cobra.Command, args []string, commands []Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		names := members(c)
		if len(args) == 0 {
			return Usagef("%s: missing command: use %s", c.CommandPath(), settings.AnyOf(names))
		}
		return Usagef("%s: unknown command %q: use %s%s", c.CommandPath(), args[0], settings.AnyOf(names),
			settings.Meant(args[0], names))
	}
	for _, command := range commands {
		c.AddCommand(command.make(args))
	}
}

func members(c *cobra.Command) (names []string) {
	for _, member := range c.Commands() {
		if member.IsAvailableCommand() {
			names = append(names, member.Name())
		}
	}
	return names
}

// helpCommand is the library's, except that an unknown topic is wrong usage.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command and its flags",
		RunE: func(c *cobra.Command, args []string) error {
			topic, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return Usagef("help: unknown command %q", strings.Join(args, " "))
			}
			topic.InitDefaultHelpFlag()
			topic.InitDefaultVersionFlag()
			return topic.Help()
		},
	}
}
