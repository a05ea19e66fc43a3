package bench

import (
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/internal/settings"
)

func trainCommand() cli.Command {
	return benchImages("train", "Load images with random resized crops and flips as fast as possible",
		settings.Training())
}
