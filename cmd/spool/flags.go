package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
)

// flags is a command's flags. All of them are read before any is judged, so that every problem of a call
// is told at once.
type flags struct {
	command  *cobra.Command
	args     []string // of the whole call
	problems usageError
}

// newFlags gives the flags of a command. The library would stop at the first one it does not know, so it
// is told to pass these over: unknown finds them.
func newFlags(c *cobra.Command, args []string) *flags {
	f := &flags{command: c, args: args}
	c.FParseErrWhitelist.UnknownFlags = true
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		f.refuse("%v", err)
		return f.err()
	})
	return f
}

// value is a flag's text with the function that takes it.
type value struct {
	flags *flags
	name  string
	text  string
	kind  string
	take  func(string) error
}

func (v *value) String() string { return v.text }
func (v *value) Type() string   { return v.kind }
func (v *value) Set(text string) error {
	v.text = text
	if err := v.take(text); err != nil {
		v.flags.refuse("--%s %s: %v", v.name, text, err)
	}
	return nil
}

// add defines a flag. The default is taken right away, so that take is the only place that sets anything.
func (f *flags) add(name, kind, def, help string, take func(string) error) {
	v := &value{flags: f, name: name, text: def, kind: kind, take: take}
	if def != "" {
		if err := take(def); err != nil {
			panic(fmt.Sprintf("default of --%s: %v", name, err))
		}
	}
	f.command.Flags().Var(v, name, help)
}

// number defines a flag for a whole number of at least least.
func (f *flags) number(name string, p *int, def string, least int, help string) {
	f.add(name, "N", def, help, func(s string) error {
		n, err := parseInt(s)
		if err == nil && n < least {
			err = fmt.Errorf("at least %d", least)
		}
		if err == nil {
			*p = n
		}
		return err
	})
}

// choice defines a flag for one of several words.
func choice[T any](f *flags, name string, p *T, def, help string, words map[string]T) {
	names := sorted(words)
	f.add(name, strings.Join(names, "|"), def, help, func(s string) error {
		v, ok := words[s]
		if !ok {
			return fmt.Errorf("one of %s", strings.Join(names, ", "))
		}
		*p = v
		return nil
	})
	complete := cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)
	if err := f.command.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err) // no such flag, or twice
	}
}

// boolean defines a flag that is on or off: --name, --name=true or --name=false.
func (f *flags) boolean(name string, p *bool, def bool, help string) {
	f.add(name, "bool", strconv.FormatBool(def), help, func(s string) (err error) {
		if *p, err = strconv.ParseBool(s); err != nil {
			err = errors.New("true or false")
		}
		return err
	})
	f.command.Flags().Lookup(name).NoOptDefVal = "true"
}

// text defines a flag for any text.
func (f *flags) text(name string, p *string, kind, help string) {
	f.add(name, kind, "", help, func(s string) error { *p = s; return nil })
}

// refuse adds a problem.
func (f *flags) refuse(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// check adds what a library says of its options.
func (f *flags) check(err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		f.refuse("%s", strings.TrimPrefix(line, spool.ErrOptions.Error()+": "))
	}
}

// arguments requires from least to most arguments. Behind an unknown flag nobody knows which words are some.
func (f *flags) arguments(args []string, least, most int, what string) {
	switch path := f.command.CommandPath(); {
	case len(f.unknown()) > 0:
	case len(args) < least:
		f.refuse("%s: missing argument: %s", path, what)
	case len(args) > most:
		f.refuse("%s: too many arguments: %s", path, strings.Join(args[most:], " "))
	}
}

// unknown names the flags in the call that the command does not have.
func (f *flags) unknown() (names []string) {
	for args := f.args; len(args) > 0 && args[0] != "--"; {
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

// err is all problems so far, or nil.
func (f *flags) err() error {
	var all usageError
	for _, name := range f.unknown() {
		all = append(all, fmt.Sprintf("unknown flag: %s (see %s --help)", name, f.command.CommandPath()))
	}
	if all = append(all, f.problems...); len(all) > 0 {
		return all
	}
	return nil
}
