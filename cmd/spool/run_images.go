package main

import (
	"github.com/spf13/cobra"
)

func runImagesCommand(args []string) *cobra.Command {
	c := &cobra.Command{Use: "images SRC...", Short: "Load pictures from files, folders, globs, lists, tables and tar shards"}
	f := newFlags(c, args)
	r := run{Load: f.Images()}
	f.Text("save-first", &r.sheet, "FILE.png", "contact sheet of the first batch, with its ids")
	f.output(&r)
	c.RunE = func(c *cobra.Command, args []string) error {
		if isReel(r.sheet) {
			f.Refuse("--save-first %s: a video of pictures that do not belong together; a name like sheet.png", r.sheet)
		}
		return r.start(f, c, args)
	}
	return c
}
