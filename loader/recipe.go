package loader

import (
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/spoolmedia/spool/decode/probe"
)

// recipe returns a text of everything that determines a file's sample: the settings, and the versions of this program
// and its libraries. It is part of the keys of samples on disk. It returns false if a setting, such as a function, has
// no text.
func recipe(settings ...any) (text string, ok bool) {
	var w strings.Builder
	for _, s := range settings {
		if !describe(&w, reflect.ValueOf(s)) {
			return "", false
		}
		w.WriteByte('\n')
	}
	return w.String() + probe.Libraries() + "\n" + built(), true
}

// built returns the release or commit of this program. A modified checkout is marked, but its states are not
// distinguished.
func built() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	words := []string{info.Main.Path, info.Main.Version}
	for _, m := range info.Deps {
		if m.Path == "github.com/spoolmedia/spool" {
			words = append(words, m.Version, m.Sum)
		}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
			words = append(words, s.Value)
		}
	}
	return strings.Join(words, " ")
}

// describe writes a value with the names of its types and fields.
func describe(w *strings.Builder, v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		w.WriteString("nil")
		return true
	case reflect.Bool:
		fmt.Fprint(w, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		fmt.Fprint(w, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		fmt.Fprint(w, v.Uint())
	case reflect.Float32, reflect.Float64:
		fmt.Fprintf(w, "%x", math.Float64bits(v.Float()))
	case reflect.String:
		fmt.Fprintf(w, "%q", v.String())
	case reflect.Struct:
		w.WriteString(v.Type().String() + "{")
		for i := range v.NumField() {
			w.WriteString(v.Type().Field(i).Name + ":")
			if !describe(w, v.Field(i)) {
				return false
			}
			w.WriteByte(' ')
		}
		w.WriteByte('}')
	case reflect.Slice, reflect.Array:
		w.WriteByte('[')
		for i := range v.Len() {
			if !describe(w, v.Index(i)) {
				return false
			}
			w.WriteByte(' ')
		}
		w.WriteByte(']')
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			w.WriteString("nil")
			return true
		}
		w.WriteByte('&')
		return describe(w, v.Elem())
	case reflect.Func, reflect.Map, reflect.Chan, reflect.UnsafePointer:
		w.WriteString("nil")
		return v.IsNil()
	default:
		return false
	}
	return true
}
