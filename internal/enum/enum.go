// Package enum gives the values of small enumerations their names.
package enum

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// Names are the names of the values 0, 1, 2 ... of a type.
type Names []string

// Of is the name of a value. Values without a name are shown as typ(9).
func (n Names) Of(typ string, value uint8) string {
	if int(value) < len(n) {
		return n[value]
	}
	return fmt.Sprintf("%s(%d)", typ, value)
}

// Counts returns the counters of values that are not zero, by the values' names. It is nil if all are zero.
func Counts(counters []atomic.Int64, name func(value int) string) (counts map[string]int64) {
	for value := range counters {
		if n := counters[value].Load(); n > 0 {
			if counts == nil {
				counts = map[string]int64{}
			}
			counts[name(value)] = n
		}
	}
	return counts
}

// Parse sets e to the value that text names. On error e keeps its value.
func Parse[E ~uint8](e *E, text []byte, names Names) error {
	for i, name := range names {
		if name == string(text) {
			*e = E(i)
			return nil
		}
	}
	return fmt.Errorf("%q is not one of %q", text, []string(names))
}

// ParseFold is Parse in upper or lower case.
func ParseFold[E ~uint8](e *E, text []byte, names Names) error {
	for _, name := range names {
		if strings.EqualFold(name, string(text)) {
			return Parse(e, []byte(name), names)
		}
	}
	return Parse(e, text, names)
}
