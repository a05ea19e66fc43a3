package settings

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spoolmedia/spool"
)

// Set is the settings of one call. All of them are read before any is judged, so that every problem is told at once. It is
// not safe for concurrent use. The zero value is ready to use.
type Set struct {
	// Defined, if not nil, is told of each setting as it is defined: a command line makes a flag of it.
	Defined func(*Setting)

	byName   map[string]*Setting
	problems Problems
	keys     bool // settings came as JSON, and are to be called by their keys
}

// Setting is one of a Set. It is a flag's value as package flag and its likes want them.
type Setting struct {
	Name, Kind, Help string
	Words            []string // all values there are, where these are few
	Switch           bool     // is on or off

	set    *Set
	text   string
	take   func(string) error
	join   string // what stands between the elements of a list; empty: each is a value, and adds
	secret bool   // values may hold a password: no problem repeats them
	given  bool
}

func (v *Setting) String() string { return v.text }

// Type is what kind of a value it takes.
func (v *Setting) Type() string { return v.Kind }

// Set takes a value. What is wrong with it is a problem of the whole call and no error here.
func (v *Setting) Set(text string) error {
	v.text, v.given = text, true
	switch err := v.take(text); {
	case err != nil && v.secret:
		v.set.Refuse("--%s: %v", v.Name, err)
	case err != nil:
		v.set.Refuse("--%s %s: %v", v.Name, text, err)
	}
	return nil
}

// Add defines a setting. The default is taken right away, so that take is the only place that sets anything; empty is none.
func (s *Set) Add(name, kind, def, help string, take func(string) error) *Setting {
	return s.define(&Setting{Name: name, Kind: kind, Help: help, text: def, take: take, join: ","})
}

func (s *Set) define(v *Setting) *Setting {
	if s.byName == nil {
		s.byName = map[string]*Setting{}
	}
	v.set = s
	s.byName[v.Name] = v
	if v.text != "" {
		if err := v.take(v.text); err != nil {
			panic(fmt.Sprintf("default of --%s: %v", v.Name, err))
		}
	}
	if s.Defined != nil {
		s.Defined(v)
	}
	return v
}

// Given reports whether a value of the setting has come.
func (s *Set) Given(name string) bool {
	v, known := s.byName[name]
	return known && v.given
}

// Refuse adds a problem, which calls settings by their flags: --resize-shorter. No password of an address is repeated.
func (s *Set) Refuse(format string, args ...any) {
	s.problems = append(s.problems, spool.Shown(fmt.Sprintf(format, args...)))
}

// Check adds what a library says of its options.
func (s *Set) Check(err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		s.Refuse("%s", strings.TrimPrefix(line, spool.ErrOptions.Error()+": "))
	}
}

// Err is all problems so far, as Problems, or nil.
func (s *Set) Err() error {
	if len(s.problems) == 0 {
		return nil
	}
	if !s.keys {
		return s.problems
	}
	called := make(Problems, len(s.problems))
	for i, text := range s.problems {
		called[i] = flagName.ReplaceAllStringFunc(text, func(flag string) string {
			if _, known := s.byName[flag[2:]]; !known {
				return flag
			}
			return key(flag[2:])
		})
	}
	return called
}

var flagName = regexp.MustCompile(`--[a-z]+(-[a-z]+)*`)

// Problems are why a call cannot be carried out as it stands. It is spool.ErrOptions.
type Problems []string

func (p Problems) Error() string { return strings.Join(p, "; ") }

// Is makes it what it is.
func (p Problems) Is(target error) bool { return target == spool.ErrOptions }
