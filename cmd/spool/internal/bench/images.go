package bench

import (
	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

func imagesCommand() cli.Command {
	return benchImages("images", "Load images into batches as fast as possible", resize.Augment{})
}

// benchImages returns a command that loads images with the given augmentation.
func benchImages(work, short string, augment resize.Augment) cli.Command {
	return cli.Command{Use: work + " --files GLOB...", Short: short,
		Define: func(c *cobra.Command, args []string) { defineImages(c, args, work, augment) }}
}

func defineImages(c *cobra.Command, args []string, work string, augment resize.Augment) {
	var (
		b = benchmark{work: work, kind: source.Images, options: loader.Options{OnError: loader.Fail}}
		o = loader.ImageOptions{Augment: augment}
	)
	f := cli.NewFlags(c, args)
	b.define(f, "images")
	f.Number("batch", &b.options.Batch, "32", 1, "samples a batch")
	f.Square("size", "224", "size of every sample, stretched", &o.Spec.Resize.Width, &o.Spec.Resize.Height)
	f.Profile(&o.Spec.Resize.Profile)
	f.ImageLayout(&o.Spec.Layout)
	f.JPEG(&o.JPEG)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Fits(b.options.Batch, 1, o.Spec)
		o.Options = b.options
		f.Check(o.Validate())
		b.profile = o.Spec.Resize.Profile.String()
		b.load = func(src source.Source, with loader.Options) (*loader.Loader, error) {
			o.Options = with
			return loader.Images(src, o)
		}
		b.items = func(b *batch.Batch) float64 { return float64(b.Len()) }
		return b.start(c.Context(), f, args, c.OutOrStdout())
	}
}
