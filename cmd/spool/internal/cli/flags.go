package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/yamljson"
)

// Flags are the settings of a command, as its flags.
type Flags struct {
	*settings.Set
	command *cobra.Command
	Args    []string // of the whole call
}

// NewFlags returns the flags of a command. The library would stop at the first unknown flag, so it ignores them here:
// unknown finds them.
func NewFlags(c *cobra.Command, args []string) *Flags {
	f := &Flags{Set: new(settings.Set), command: c, Args: args}
	f.Defined, f.YAML = f.flag, yamljson.Convert
	c.FParseErrWhitelist.UnknownFlags = true
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		f.Refuse("%v", err)
		return f.Problem()
	})
	return f
}

// Plot defines --plot, the file for a chart.
func (f *Flags) Plot(p *string, help string) {
	f.Add("plot", "FILE.svg", "", help, func(s string) error {
		if filepath.Ext(s) != ".svg" {
			return errors.New("must be a name that ends in .svg")
		}
		*p = s
		return nil
	})
}

// flag defines the flag of a setting.
func (f *Flags) flag(s *settings.Setting) {
	all := f.command.Flags()
	all.Var(s, s.Name, s.Help)
	if s.Switch {
		all.Lookup(s.Name).NoOptDefVal = "true"
	}
	if s.Words == nil {
		return
	}
	complete := cobra.FixedCompletions(s.Words, cobra.ShellCompDirectiveNoFileComp)
	if err := f.command.RegisterFlagCompletionFunc(s.Name, complete); err != nil {
		panic(err) // no such flag, or a duplicate
	}
}

// Arguments requires from least to most arguments. It checks nothing after an unknown flag, which may have a value.
func (f *Flags) Arguments(args []string, least, most int, what string) {
	switch path := f.command.CommandPath(); {
	case len(f.unknown()) > 0:
	case len(args) < least:
		f.Refuse("%s: missing argument: %s", path, what)
	case len(args) > most:
		f.Refuse("%s: too many arguments: %s", path, strings.Join(args[most:], " "))
	}
}

// unknown returns the flags in the call that the command does not have.
func (f *Flags) unknown() (names []string) {
	for args := f.Args; len(args) > 0 && args[0] != "--"; {
		word := args[0]
		args = args[1:]
		if len(word) < 2 || word[0] != '-' {
			continue
		}
		name, _, given := strings.Cut(word, "=")
		flag := f.command.Flags().Lookup(strings.TrimPrefix(name, "--"))
		if len(name) == 2 {
			flag = f.command.Flags().ShorthandLookup(name[1:])
		}
		switch {
		case flag == nil:
			names = append(names, name)
		case !given && flag.NoOptDefVal == "" && len(args) > 0:
			args = args[1:] // its value
		}
	}
	return names
}

// suggest returns the flag that an unknown one probably means, as the end of a message.
func (f *Flags) suggest(unknown string) string {
	if near := settings.Suggest(strings.TrimLeft(unknown, "-"), f.Names()); near != "" {
		return "; did you mean --" + strings.Replace(near, "=", " ", 1) + "?"
	}
	return ""
}

// Problem returns all problems so far, or nil.
func (f *Flags) Problem() error {
	var all settings.Problems
	for _, name := range f.unknown() {
		all = append(all, fmt.Sprintf("unknown flag: %s%s (see %s --help)", name, f.suggest(name), f.command.CommandPath()))
	}
	if known, ok := errors.AsType[settings.Problems](f.Err()); ok {
		all = append(all, known...)
	}
	if len(all) > 0 {
		return all
	}
	return nil
}
