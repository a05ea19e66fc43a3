// Package simulate has the command simulate.
package simulate

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/simulate"
)

// Command returns the command simulate.
func Command() cli.Command {
	return cli.Command{Use: "simulate FILE", Short: "Predict a run with other settings from the costs of a run",
		Define: define}
}

func define(c *cobra.Command, args []string) {
	f := cli.NewFlags(c, args)
	var asJSON bool
	s := simulate.Settings(f.Set)
	f.Boolean("json", &asJSON, false, "print one JSON object")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, 1, "the costs, as run --costs writes them")
		if err := f.Problem(); err != nil {
			return err
		}
		predicted, err := simulate.Predict(args[0], *s)
		if err != nil {
			return err
		}
		if asJSON {
			return output.JSON(c.OutOrStdout(), predicted)
		}
		_, err = fmt.Fprint(c.OutOrStdout(), predicted)
		return err
	}
}
