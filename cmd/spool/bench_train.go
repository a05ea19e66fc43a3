package main

import (
	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/resize"
)

// training is the augmentation that most people train with: torchvision's RandomResizedCrop with its
// defaults, and RandomHorizontalFlip.
func training() resize.Augment {
	return resize.Augment{ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5}
}

func benchTrainCommand(args []string) *cobra.Command {
	return benchPictures(args, "train", "The same with random resized crops and flips", training())
}
