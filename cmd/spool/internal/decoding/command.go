// Package decoding has the command decode, which writes a file's pixels or samples as an NPY array.
package decoding

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/source/object"
)

// decoding is one call of decode image, decode video or decode audio.
type decoding struct {
	file    string
	out     string
	explain bool
	stdout  io.Writer
	stderr  io.Writer
}

// lane is the part in which these commands differ.
type lane interface {
	// define adds the lane's flags. After parsing, judge completes the settings and adds problems.
	define(f *cli.Flags) (judge func())
	// options returns the options of the stores that may contain the file, and of the decoder.
	options() (object.Options, decoders.Options)
	// decode decodes the file of the call and writes its array.
	decode(ctx context.Context, d *decoding, from inputs.Stores, decoder *decoders.Set) error
}

// Command returns the command decode.
func Command() cli.Command {
	return cli.Group("decode", "Decode a file into an NPY array",
		laneCommand("image", "Decode an image to (H,W,C), or to (C,H,W) with --layout nchw",
			func() lane { return new(imageLane) }),
		laneCommand("video", "Decode frames of a video to (N,H,W,C), or to (N,C,H,W) with --layout nchw",
			func() lane { return new(videoLane) }),
		laneCommand("audio", "Decode audio to (C,T), or to (T,C) with --layout tc",
			func() lane { return new(audioLane) }))
}

func laneCommand(name, short string, open func() lane) cli.Command {
	return cli.Command{Use: name + " FILE --out OUT.npy", Short: short,
		Define: func(c *cobra.Command, args []string) { define(c, args, open()) }}
}

func define(c *cobra.Command, args []string, l lane) {
	var d decoding
	f := cli.NewFlags(c, args)
	f.Text("out", &d.out, "OUT.npy", "output file; - is stdout")
	judge := l.define(f)
	f.Boolean("explain", &d.explain, false, "print on stderr how the file was decoded")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, 1, "the file to decode")
		if d.out == "" {
			f.Refuse("missing --out: give the output file, - for stdout")
		}
		judge()
		if err := f.Problem(); err != nil {
			return err
		}
		d.file, d.stdout, d.stderr = args[0], c.OutOrStdout(), c.ErrOrStderr()
		return d.run(c.Context(), l)
	}
}

// run opens the stores and the decoder, and has the lane decode the file.
func (d *decoding) run(ctx context.Context, l lane) (err error) {
	with, options := l.options()
	from, err := inputs.New(with)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, from.Close)
	decoder, err := decoders.New(options)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, decoder.Close)
	return l.decode(ctx, d, from, decoder)
}

// name returns the file's name for messages.
func (d *decoding) name() string { return spool.Redacted(d.file) }

// say prints how the file was decoded, if --explain is given.
func (d *decoding) say(explained string) {
	if d.explain {
		fmt.Fprintln(d.stderr, explained)
	}
}

// write writes the array. A file exists only after success.
func (d *decoding) write(desc spool.Desc, data []byte) error {
	if d.out == "-" {
		return writeNPY(d.stdout, desc, data)
	}
	file, err := output.Create(d.out)
	if err != nil {
		return err
	}
	return file.Finish(writeNPY(file, desc, data))
}
