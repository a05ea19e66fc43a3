// Package bench has the command bench, which measures loading, codecs and copies.
package bench

import (
	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
)

// Command returns the command bench.
func Command(args []string) *cobra.Command {
	c := cli.Group("bench", "Measure, with the keys and definitions of the peers' benchmark")
	c.AddCommand(imagesCommand(args), trainCommand(args), videoCommand(args), videoFullCommand(args), audioCommand(args),
		codecCommand(args), transferCommand(args))
	return c
}
