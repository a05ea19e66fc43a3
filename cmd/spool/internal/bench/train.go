package bench

import (
	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/internal/settings"
)

func trainCommand(args []string) *cobra.Command {
	return benchPictures(args, "train", "The same with random resized crops and flips", settings.Training())
}
