package cli

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/settings"
)

// Usagef returns an error of wrong usage.
func Usagef(format string, args ...any) error {
	return settings.Problems{spool.Redacted(fmt.Sprintf(format, args...))}
}
