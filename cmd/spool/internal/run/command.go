// Package run has the command run, which runs a loader and discards its batches.
package run

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
)

// Command returns the command run.
func Command() cli.Command {
	return group(func(ctx context.Context, r *run) error { return r.run(ctx) })
}

// action is what is done with the settings of a command line.
type action func(context.Context, *run) error

// group returns the command run with another action.
func group(do action) cli.Command {
	member := func(use, short string, define func(*cobra.Command, []string, action)) cli.Command {
		return cli.Command{Use: use + " SRC...", Short: short,
			Define: func(c *cobra.Command, args []string) { define(c, args, do) }}
	}
	return cli.Group("run", "Run a loader and discard its batches",
		member("images", "Load images from files, folders, globs, lists, tables and tar shards", defineImages),
		member("video", "Load clips of video from files, folders, globs, lists, tables and tar shards", defineVideo),
		member("audio", "Load audio from files, folders, globs, lists, tables and tar shards", defineAudio),
		member("records", "Load records of several fields from folders, tables and tar shards", defineRecords))
}

func defineImages(c *cobra.Command, args []string, do action) {
	f := cli.NewFlags(c, args)
	r := run{Load: f.LoadImages(), do: do, pictures: true}
	f.Text("save-first", &r.sheet, "FILE.png", "contact sheet of the first batch, with its ids")
	r.define(f)
	c.RunE = func(c *cobra.Command, args []string) error {
		if isVideo(r.sheet) {
			f.Refuse("--save-first=%s: images are saved as a contact sheet: use a name like sheet.png", r.sheet)
		}
		return r.start(f, c, args)
	}
}

func defineVideo(c *cobra.Command, args []string, do action) {
	f := cli.NewFlags(c, args)
	r := run{Load: f.LoadVideo(), do: do, pictures: true}
	f.Text("save-first", &r.sheet, "FILE",
		"the first batch: a contact sheet with one clip per row (.png), or its clips one after the other (.mp4)")
	r.define(f)
	c.RunE = func(c *cobra.Command, args []string) error { return r.start(f, c, args) }
}

func defineAudio(c *cobra.Command, args []string, do action) {
	f := cli.NewFlags(c, args)
	r := run{Load: f.LoadAudio(), do: do}
	r.define(f)
	c.RunE = func(c *cobra.Command, args []string) error { return r.start(f, c, args) }
}

func defineRecords(c *cobra.Command, args []string, do action) {
	c.Example = `  spool run records train-000.tar --field image=image:jpg,size=224,train=true \
      --field mask=mask:seg.png --field caption=text:txt --save-first sheet.png
  spool run records clips.csv --schema schema.yaml --digest
  spool run records aloha --delta observation.images.top=-0.1,0 --delta action=0,0.02,0.04`
	f := cli.NewFlags(c, args)
	r := run{Load: f.LoadRecords(), do: do, pictures: true}
	f.Text("save-first", &r.sheet, "FILE.png",
		"contact sheet of the first batch: its first image field, with masks, boxes, points and objects drawn on it, "+
			"and text below")
	r.define(f)
	c.RunE = func(c *cobra.Command, args []string) error {
		if isVideo(r.sheet) {
			f.Refuse("--save-first=%s: records are saved as a contact sheet: use a name like sheet.png", r.sheet)
		}
		return r.start(f, c, args)
	}
}
