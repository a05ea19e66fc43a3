package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/spoolmedia/spool"
)

// usageError is a call that cannot be carried out as it stands: exit code 2. It has all problems of the call.
type usageError []string

func (u usageError) Error() string { return strings.Join(u, "\n") }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// flags is a command's flag set whose values are all read before any is judged, so that every problem
// of a call is told at once.
type flags struct {
	set      *pflag.FlagSet
	problems usageError
}

func flagsOf(c *cobra.Command) *flags { return &flags{set: c.Flags()} }

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
		v.flags.problems = append(v.flags.problems, fmt.Sprintf("--%s %s: %v", v.name, text, err))
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
	f.set.Var(v, name, help)
}

// number defines a flag for an integer of at least least.
func (f *flags) number(name string, p *int, def, least int, help string) {
	f.add(name, "N", fmt.Sprint(def), help, func(s string) error {
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
	f.add(name, strings.Join(sorted(words), "|"), def, help, func(s string) error {
		v, ok := words[s]
		if !ok {
			return fmt.Errorf("one of %s", strings.Join(sorted(words), ", "))
		}
		*p = v
		return nil
	})
}

// boolean defines a flag that is on or off.
func (f *flags) boolean(name string, p *bool, def bool, help string) {
	f.set.BoolVar(p, name, def, help)
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
		f.problems = append(f.problems, strings.TrimPrefix(line, spool.ErrOptions.Error()+": "))
	}
}

// err is all problems so far, or nil.
func (f *flags) err() error {
	if len(f.problems) == 0 {
		return nil
	}
	return f.problems
}

// flagProblems names every unknown flag of a call, where the flag library stops at the first problem.
func flagProblems(c *cobra.Command, args []string, err error) error {
	var unknown usageError
	for _, arg := range args {
		name, long := strings.CutPrefix(arg, "--")
		if name, _, _ = strings.Cut(name, "="); long && name != "" && c.Flags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil {
			unknown = append(unknown, fmt.Sprintf("unknown flag: --%s (see %s --help)", name, c.CommandPath()))
		}
	}
	if len(unknown) > 0 {
		return unknown
	}
	return usageError{err.Error()}
}

// arguments requires at least least arguments, and at most most unless that is 0.
func arguments(c *cobra.Command, f *flags, args []string, least, most int, what string) {
	if len(args) < least {
		f.refuse("%s: missing argument: %s", c.CommandPath(), what)
	}
	if most > 0 && len(args) > most {
		f.refuse("%s: too many arguments: %s", c.CommandPath(), strings.Join(args[most:], " "))
	}
}

// asUsage makes the options errors of a library usage errors, and leaves others alone.
func asUsage(err error) error {
	if !errors.Is(err, spool.ErrOptions) {
		return err
	}
	var f flags
	f.check(err)
	return f.err()
}
