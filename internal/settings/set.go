package settings

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
)

// Set is the settings of one call. All of them are read before any is checked, so that all problems are reported at
// once. It is not safe for concurrent use. The zero value is ready to use.
type Set struct {
	// Defined, if not nil, is called for each setting as it is defined. A command line makes flags of them.
	Defined func(*Setting)
	// YAML, if not nil, converts schema files to JSON. Without it, they must be JSON.
	YAML func(text []byte) ([]byte, error)
	// Helper is the program of helper processes, which are then off by default. The command has none: decode.Isolation
	// looks for it.
	Helper string

	byName   map[string]*Setting
	problems Problems
	keys     bool // values came as JSON, so problems name settings by their keys
	lenient  bool // unknown keys and wrong values are no problems
}

// Setting is a setting of a Set. It implements the Value interfaces of package flag and of pflag.
type Setting struct {
	Name, Kind, Help string
	Words            []string // all possible values, if they are few
	Switch           bool     // a boolean

	set    *Set
	text   string
	parse  func(string) error
	join   string                   // separator of the elements of a list; empty: each element is a separate value
	secret bool                     // values may hold a password, so problems do not repeat them
	hidden bool                     // no flag: only a key
	raw    func(value []byte) error // reads any JSON value, instead of parse
	given  bool
}

func (v *Setting) String() string { return v.text }

// Type returns the kind of the value.
func (v *Setting) Type() string { return v.Kind }

// Set reads a value. An invalid value is added to the problems of the call, and is no error here.
func (v *Setting) Set(text string) error {
	v.text, v.given = text, true
	switch err := v.parse(text); {
	case err != nil && v.secret:
		v.set.Refuse("--%s: %v", v.Name, err)
	case err != nil:
		v.set.Refuse("--%s=%s: %v", v.Name, text, err)
	}
	return nil
}

// Add defines a setting. It passes the default to parse at once, so that only parse sets values. An empty default is
// not passed.
func (s *Set) Add(name, kind, def, help string, parse func(string) error) *Setting {
	return s.define(&Setting{Name: name, Kind: kind, Help: help, text: def, parse: parse, join: ","})
}

func (s *Set) define(v *Setting) *Setting {
	if s.byName == nil {
		s.byName = map[string]*Setting{}
	}
	v.set = s
	s.byName[v.Name] = v
	if v.text != "" {
		if err := v.parse(v.text); err != nil {
			panic(fmt.Sprintf("default of --%s: %v", v.Name, err))
		}
	}
	if s.Defined != nil && !v.hidden {
		s.Defined(v)
	}
	return v
}

// assign gives the setting with a key a value as text.
func (s *Set) assign(key, text string) {
	setting := s.byName[strings.ReplaceAll(key, "_", "-")]
	switch {
	case setting != nil:
		_ = setting.Set(text) // it records its problem
	case !s.lenient:
		s.Refuse("unknown option: %s%s", key, s.suggest(key))
	}
}

// Given reports whether the setting was given a value.
func (s *Set) Given(name string) bool {
	v, known := s.byName[name]
	return known && v.given
}

// Refuse adds a problem, which names settings by their flags: --resize-shorter, or --resize-shorter=256 with a value.
// It hides passwords in URLs.
func (s *Set) Refuse(format string, args ...any) {
	s.problems = append(s.problems, spool.Redacted(fmt.Sprintf(format, args...)))
}

// Check adds the problems that a library finds in its options, in the words of the settings. nil has none.
func (s *Set) Check(err error) {
	if err == nil {
		return
	}
	as := asFlag
	if s.keys {
		as = asKey
	}
	for _, problem := range problemsOf(err, as) {
		if !slices.Contains(s.problems, problem) { // two fields of one setting may have the same problem
			s.Refuse("%s", problem)
		}
	}
}

// Err returns all problems so far as Problems, or nil. The text names a setting as the caller wrote it:
// --resize-shorter 256 for a command line, resize_shorter=256 for JSON.
func (s *Set) Err() error {
	if len(s.problems) == 0 {
		return nil
	}
	named := make(Problems, len(s.problems))
	for i, text := range s.problems {
		named[i] = flagName.ReplaceAllStringFunc(text, func(flag string) string {
			name := strings.TrimSuffix(flag[2:], "=")
			switch _, known := s.byName[name]; {
			case !known:
				return flag
			case s.keys:
				return key(flag[2:])
			}
			return strings.Replace(flag, "=", " ", 1)
		})
	}
	return named
}

var flagName = regexp.MustCompile(`--[a-z]+(-[a-z]+)*=?`)

// Names returns the names of all settings.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.byName)) }

// suggest returns the key that an unknown one probably means, as the end of a message.
func (s *Set) suggest(unknown string) string {
	if near := Suggest(unknown, s.Names()); near != "" {
		return "; did you mean " + key(near) + "?"
	}
	return ""
}

// Problems are the reasons why a call cannot be run. Its class is spool.ErrOptions.
type Problems []string

func (p Problems) Error() string { return strings.Join(p, "; ") }

// Is reports the class.
func (p Problems) Is(target error) bool { return target == spool.ErrOptions }
