// Package bench has the command bench, which measures loading, codecs and copies.
package bench

import "github.com/spoolmedia/spool/cmd/spool/internal/cli"

// Command returns the command bench.
func Command() cli.Command {
	return cli.Group("bench", "Measure, with the keys and definitions of the peers' benchmark",
		imagesCommand(), trainCommand(), videoCommand(), videoFullCommand(), audioCommand(), codecCommand(),
		transferCommand())
}
