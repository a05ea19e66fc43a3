package catalog

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/jsonname"
	"github.com/spoolmedia/spool/source/object"
)

// demuxing is one call of packets.
type demuxing struct {
	decoders.Demux
	out       string
	container encode.MuxOptions
	json      bool
	limits    decode.Limits
	stores    object.Options
	stdout    io.Writer
	stderr    io.Writer
}

// packetLine is a line of packets --json. Times are in units of the stream's time base.
type packetLine struct {
	File     jsonname.Name `json:"file"`
	PTS      *int64        `json:"pts"`
	DTS      *int64        `json:"dts"`
	Duration int64         `json:"duration"`
	TimeBase [2]int        `json:"time_base"` // seconds of a unit: numerator and denominator
	Size     int32         `json:"size"`
	Key      bool          `json:"key,omitempty"`
	Corrupt  bool          `json:"corrupt,omitempty"`
	Discard  bool          `json:"discard,omitempty"` // outside of the window
}

// Packets returns the command packets.
func Packets() cli.Command {
	return cli.Command{Use: "packets FILE...", Short: "List the packets of a stream, or write them to another file",
		Define: definePackets}
}

func definePackets(c *cobra.Command, args []string) {
	var d demuxing
	f := cli.NewFlags(c, args)
	judge := f.Demux(&d.Demux)
	f.Text("out", &d.out, "FILE", "write the packets of each file as a stream of a new one, without encoding them")
	f.Container(&d.container.Format, &d.container.FormatOptions)
	f.Boolean("json", &d.json, false, "one JSON object a line, for each packet")
	f.Limits(&d.limits)
	f.Stores(&d.stores)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, len(args), "the files whose packets are read")
		judge()
		if d.out == "" && (f.Given("format") || f.Given("format-option")) {
			f.Refuse("missing --out: the file to write")
		}
		if d.out != "" && d.json {
			f.Refuse("--out excludes --json: packets are written, not listed")
		}
		if err := f.Problem(); err != nil {
			return err
		}
		d.stdout, d.stderr = c.OutOrStdout(), c.ErrOrStderr()
		return d.run(c.Context(), args)
	}
}

// run lists the packets of the files, and goes on after a bad one; or it writes all of them.
func (d *demuxing) run(ctx context.Context, files []string) (err error) {
	from, err := inputs.New(d.stores)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, from.Close)
	decoder, err := decoders.New(decoders.Options{Limits: d.limits})
	if err != nil {
		return err
	}
	defer cli.Closing(&err, decoder.Close)
	var streams []*packets.Packets
	defer func() {
		for _, p := range streams {
			p.Release()
		}
	}()
	var failed error
	for _, name := range files {
		p, err := decoder.Packets(ctx, from.Object(name), d.Demux)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && (spool.ClassOf(err) == "" || d.out != ""):
			return err
		case err != nil:
			cli.Report(d.stderr, err)
			failed = cli.ErrReported
			continue
		case d.out != "":
			streams = append(streams, p)
			continue
		}
		err = d.print(spool.Redacted(name), p)
		p.Release()
		if err != nil {
			return err
		}
	}
	if d.out != "" {
		return encode.Mux(ctx, d.out, streams, d.container)
	}
	return failed
}

func (d *demuxing) print(name string, p *packets.Packets) error {
	if !d.json {
		i := p.Info()
		_, err := fmt.Fprintf(d.stdout, "%s: %s, %d packets, %d in the window, %d bytes\n", output.Printable(name), i.Codec,
			i.Packets, i.Frames, i.Bytes)
		return err
	}
	base := p.Table.Stream.Base
	for i := range p.Table.Packets {
		x := &p.Table.Packets[i]
		line := packetLine{File: jsonname.Name(name), PTS: known(&x.PTS), DTS: known(&x.DTS), Duration: x.Duration,
			Size: x.Size, TimeBase: [2]int{int(base.Num), int(base.Den)}, Key: x.Flags&index.Key != 0,
			Corrupt: x.Flags&index.Damaged != 0, Discard: x.Flags&index.Discard != 0}
		if err := output.JSON(d.stdout, line); err != nil {
			return err
		}
	}
	return nil
}

// known returns nil for a time that a packet does not have.
func known(ticks *int64) *int64 {
	if *ticks == index.NoPTS {
		return nil
	}
	return ticks
}
