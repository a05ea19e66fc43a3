package settings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/resize"
)

// words name a setting, with a value unless it is empty.
type words func(setting, value string) string

// asFlag returns the words of a command line: --size 8.
func asFlag(setting, value string) string {
	if value == "" {
		return "--" + setting
	}
	return "--" + setting + " " + value
}

// asKey returns the words of a call with keywords: size=8.
func asKey(setting, value string) string {
	if value == "" {
		return key(setting)
	}
	return key(setting) + "=" + value
}

// Flags returns the problems of an error of options, with flags in place of the fields of options: --size 8.
func Flags(err error) []string { return problemsOf(err, asFlag) }

// Keys returns the problems of an error of options, with keys in place of the fields of options: size=8.
func Keys(err error) []string { return problemsOf(err, asKey) }

// problemsOf returns the problems of an error of options, one line each.
func problemsOf(err error, as words) (list []string) {
	for _, part := range Split(err) {
		if len(Split(part)) > 1 {
			list = append(list, problemsOf(part, as)...)
			continue
		}
		text := part.Error()
		if o, ok := errors.AsType[*spool.OptionError](part); ok {
			text = strings.Replace(text, o.Error(), inWords(o, as), 1)
		}
		list = append(list, strings.TrimPrefix(text, spool.ErrOptions.Error()+": "))
	}
	return list
}

// Split returns the parts of an error that errors.Join has joined. Such an error is known by its text: the texts of its
// parts, one per line. Any other error is one part.
func Split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var texts []string
	for _, part := range joined.Unwrap() {
		texts = append(texts, part.Error())
	}
	if err.Error() != strings.Join(texts, "\n") {
		return []error{err}
	}
	return joined.Unwrap()
}

// inWords returns a problem with settings in place of fields.
func inWords(e *spool.OptionError, as words) string {
	here := spool.OptionError{Options: inSettings(e.Options, as), Needs: inSettings(e.Needs, as),
		Excludes: inSettings(e.Excludes, as), Text: e.Text}
	return here.Detail()
}

// inSettings returns the settings of fields, each once. Fields without a setting keep their names.
func inSettings(options []spool.Option, as words) (list []spool.Option) {
	for _, o := range options {
		known := settingsOf(o.Name)
		if known == nil {
			list = append(list, o)
		}
		for _, setting := range known {
			name, value, fixed := strings.Cut(setting, "=")
			if !fixed && o.Value != nil {
				value = valueText(o.Value)
			}
			if x := (spool.Option{Name: as(name, value)}); !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
	}
	return list
}

// valueText returns the value of a field as the text of a setting.
func valueText(value any) string {
	switch v := value.(type) {
	case []float32:
		return commas(v)
	case [2]float64:
		return commas(v[:])
	case resize.Rect:
		return commas([]int{v.Left, v.Top, v.Width, v.Height})
	case resize.Padding:
		return commas([]int{v.Left, v.Top, v.Right, v.Bottom})
	case encode.Format:
		return strings.ToLower(v.String())
	case image.Alpha:
		if v == image.BlendAlpha {
			return "over:#rrggbb"
		}
	}
	return fmt.Sprint(value)
}

// commas returns numbers as a list.
func commas[N any](numbers []N) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = fmt.Sprint(n)
	}
	return strings.Join(texts, ",")
}

// AsFlags names the flags of the command in a text of the libraries, in place of their fields: --region for
// object.Options.Region.
func AsFlags(text string) string {
	return renamed(text, func(setting string) string { return "--" + setting })
}

// AsKeys names the keys of options in a text of the libraries, in place of their fields: region= for
// object.Options.Region.
func AsKeys(text string) string {
	return renamed(text, func(setting string) string { return key(setting) + "=" })
}

// AllAs applies AsFlags or AsKeys to texts, and returns the result.
func AllAs(texts []string, as func(string) string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = as(text)
	}
	return list
}

// renamed replaces the full names of fields.
func renamed(text string, name func(setting string) string) string {
	for _, f := range fields {
		if of := f.of.String() + "."; strings.Contains(text, of) {
			for _, field := range slices.Backward(slices.Sorted(maps.Keys(f.settings))) { // Failures.MaxRate before Failures.Max
				text = strings.ReplaceAll(text, of+field, name(f.settings[field][0]))
			}
		}
	}
	return text
}
