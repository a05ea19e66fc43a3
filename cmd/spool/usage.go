package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/settings"
)

func usagef(format string, args ...any) error {
	return settings.Problems{spool.Shown(fmt.Sprintf(format, args...))}
}

func sorted[T any](words map[string]T) []string { return slices.Sorted(maps.Keys(words)) }
