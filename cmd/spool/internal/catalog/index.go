package catalog

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/jsonname"
	"github.com/spoolmedia/spool/internal/probed"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// indexing is one call of index.
type indexing struct {
	folder string
	json   bool
	open   video.OpenOptions
	limits decode.Limits
	with   object.Options // access to stores
	from   inputs.Stores
	stdout io.Writer
	stderr io.Writer
}

// indexed is a line of index --json.
type indexed struct {
	File     jsonname.Name `json:"file"`
	Index    string        `json:"index,omitempty"`
	Stream   *int          `json:"stream,omitempty"` // of a video, like the fields below
	Frames   int           `json:"frames,omitempty"`
	Keys     int           `json:"keys,omitempty"`
	Start    *float64      `json:"start_s,omitempty"`
	Duration float64       `json:"duration_s,omitempty"`
	Error    *probed.Error `json:"error,omitempty"`
}

// Index returns the command index.
func Index() cli.Command {
	return cli.Command{Use: "index FILE...",
		Short: "Save the index of videos and of tar shards, so that they open in a fraction of the time", Define: defineIndex}
}

func defineIndex(c *cobra.Command, args []string) {
	var x indexing
	f := cli.NewFlags(c, args)
	f.Text("index-dir", &x.folder, "DIR", "folder for the indexes; by default that of each file. Required for URLs")
	f.Stream(&x.open.Stream)
	f.Text("language", &x.open.Language, "LANG", "the best stream of this language, like eng")
	f.Boolean("json", &x.json, false, "one JSON object a line")
	f.Limits(&x.limits)
	f.Stores(&x.with)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, len(args), "the videos and tar shards to index")
		f.Check(x.open.Validate())
		var files []string
		for _, arg := range args {
			names, err := source.ExpandBraces(arg)
			f.Check(err)
			files = append(files, names...)
		}
		if i := slices.IndexFunc(files, inputs.Stores{}.Known); i >= 0 && x.folder == "" {
			f.Refuse("missing --index-dir: the folder for the index of %s", output.Printable(spool.Redacted(files[i])))
		}
		if err := f.Problem(); err != nil {
			return err
		}
		x.open.NoIndex = true // an existing index may be outdated, or of another stream
		x.stdout, x.stderr = c.OutOrStdout(), c.ErrOrStderr()
		return x.run(c.Context(), files)
	}
}

// run indexes the files. It reports a bad file, and goes on with the others.
func (x *indexing) run(ctx context.Context, files []string) (err error) {
	if x.from, err = inputs.New(x.with); err != nil {
		return err
	}
	defer cli.Closing(&err, x.from.Close)
	decoder, err := decoders.New(decoders.Options{Limits: x.limits})
	if err != nil {
		return err
	}
	defer cli.Closing(&err, decoder.Close)
	var failed error
	for _, name := range files {
		line, err := x.file(ctx, decoder, name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && spool.ClassOf(err) == "":
			return err
		case err != nil:
			cli.Report(x.stderr, err)
			failed = cli.ErrReported
			line = indexed{File: jsonname.Name(spool.Redacted(name)), Error: probed.Bad(name, err).Error}
		}
		if err := x.print(line); err != nil {
			return err
		}
	}
	return failed
}

func (x *indexing) file(ctx context.Context, d *decoders.Set, name string) (_ indexed, err error) {
	if source.IsShard(name) {
		path, err := source.SaveShardIndex(ctx, name, source.Options{Indexes: x.folder, Remote: x.from})
		return indexed{File: jsonname.Name(spool.Redacted(name)), Index: path}, err
	}
	in := x.from.Object(name)
	v, err := d.Videos.Open(ctx, in, x.open)
	if err != nil {
		return indexed{}, err
	}
	defer cli.Closing(&err, v.Close)
	path, err := v.SaveIndex(x.folder)
	i := v.Info()
	return indexed{File: jsonname.Name(spool.Redacted(name)), Index: path, Stream: &i.Stream, Frames: v.Len(),
		Keys: keys(v.Index()), Start: &i.Start, Duration: i.End - i.Start}, err
}

func (x *indexing) print(line indexed) error {
	if x.json {
		return output.JSON(x.stdout, line)
	}
	if line.Error != nil {
		return nil
	}
	if line.Stream == nil {
		_, err := fmt.Fprintf(x.stdout, "%s: %s\n", output.Printable(string(line.File)), output.Printable(line.Index))
		return err
	}
	_, err := fmt.Fprintf(x.stdout, "%s: %d frames, %d key frames: %s\n", output.Printable(string(line.File)), line.Frames,
		line.Keys, output.Printable(line.Index))
	return err
}

// keys returns the number of packets at which a decoder may begin.
func keys(x *index.Index) (n int) {
	for i := range x.Packets {
		if x.Packets[i].Flags&index.Key != 0 {
			n++
		}
	}
	return n
}
