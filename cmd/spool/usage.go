package main

import (
	"fmt"
	"strings"
)

// usageError is a call that cannot be carried out as it stands, with all of its problems.
type usageError []string

func (u usageError) Error() string { return strings.Join(u, "; ") }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }
