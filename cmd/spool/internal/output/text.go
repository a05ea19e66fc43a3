package output

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Counts formats numbers by their names, like "frame 6, scans 1".
func Counts(numbers map[string]int64) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		list = append(list, fmt.Sprintf("%s %d", name, numbers[name]))
	}
	return strings.Join(list, ", ")
}

// Printable returns a name on one line and without control characters.
func Printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// OneLine returns a text on one line and without control characters.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ReplaceAll(text, "\n", "; "))
}
