package bench

import (
	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// chunk is the number of frames in a part of a file, if all frames are loaded.
const chunk = 32

func videoCommand() cli.Command {
	return benchFrames("video", "Load evenly sampled clips of video as fast as possible",
		func(o *loader.VideoOptions, frames int) { o.Frames = frames })
}

func videoFullCommand() cli.Command {
	return benchFrames("videofull", "Load every frame of video as fast as possible",
		func(o *loader.VideoOptions, _ int) { o.Every, o.Order = chunk, batch.Any })
}

// sharedFlags defines the flags that the commands for video and audio have only so that one command line fits all.
func sharedFlags(f *cli.Flags, s *image.Spec, frames, rate *int) {
	var ignored int
	f.Number("batch", &ignored, "32", 1, "ignored: one file is one delivery")
	f.Square("size", "224", "size of every frame, stretched", &s.Resize.Width, &s.Resize.Height)
	f.Number("frames", frames, "16", 1, "frames of a clip")
	f.Number("rate", rate, "16000", 1, "sample rate of audio")
	f.Profile(&s.Resize.Profile)
}

// benchFrames returns a command that loads the frames which choose selects.
func benchFrames(work, short string, choose choice) cli.Command {
	return cli.Command{Use: work + " --files GLOB...", Short: short,
		Define: func(c *cobra.Command, args []string) { defineFrames(c, args, work, choose) }}
}

// choice sets the frames that are loaded.
type choice func(o *loader.VideoOptions, frames int)

func defineFrames(c *cobra.Command, args []string, work string, choose choice) {
	var (
		b            = benchmark{work: work, kind: source.Videos, options: loader.Options{OnError: loader.Fail, Batch: 1}}
		o            loader.VideoOptions
		s            image.Spec
		frames, rate int
	)
	f := cli.NewFlags(c, args)
	b.define(f, "files")
	sharedFlags(f, &s, &frames, &rate)
	f.Video(&o.Open)
	c.RunE = func(c *cobra.Command, args []string) error {
		o.Options = b.options
		choose(&o, frames)
		f.Fits(1, max(o.Frames, o.Every), s)
		o.Spec = settings.FrameSpec(s, decode.FailOnDamage)
		f.Check(o.Validate())
		b.profile, b.options = s.Resize.Profile.String(), o.Options
		b.load = func(src source.Source, with loader.Options) (*loader.Loader, error) {
			o.Options = with
			return loader.Videos(src, o)
		}
		b.items = func(b *batch.Batch) float64 { return float64(len(b.Samples[0].Frames)) }
		return b.start(c.Context(), f, args, c.OutOrStdout())
	}
}

func audioCommand() cli.Command {
	return cli.Command{Use: "audio --files GLOB...", Short: "Load whole audio files, mono, as fast as possible",
		Define: defineAudio}
}

func defineAudio(c *cobra.Command, args []string) {
	var (
		b      = benchmark{work: "audio", kind: source.Audio, options: loader.Options{OnError: loader.Fail}}
		o      = loader.AudioOptions{Spec: audio.Spec{Channels: 1, DType: spool.Float32}}
		s      image.Spec
		frames int
	)
	f := cli.NewFlags(c, args)
	b.define(f, "files")
	sharedFlags(f, &s, &frames, &o.Spec.Rate)
	c.RunE = func(c *cobra.Command, args []string) error {
		if s.Resize.Profile == resize.Fast {
			o.Spec.Quality = audio.FastQuality
		}
		o.Options = b.options
		f.Check(o.Validate())
		b.profile = s.Resize.Profile.String()
		b.load = func(src source.Source, with loader.Options) (*loader.Loader, error) {
			o.Options = with
			return loader.Audio(src, o)
		}
		b.items = func(b *batch.Batch) float64 { return float64(b.Samples[0].Length) / float64(o.Spec.Rate) }
		return b.start(c.Context(), f, args, c.OutOrStdout())
	}
}
