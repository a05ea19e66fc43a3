package bench

import (
	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/internal/settings"
)

func trainCommand(args []string) *cobra.Command {
	return benchImages(args, "train", "Load images with random resized crops and flips as fast as possible",
		settings.Training())
}
