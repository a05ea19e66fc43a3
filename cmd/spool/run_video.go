package main

import (
	"github.com/spf13/cobra"
)

func runVideoCommand(args []string) *cobra.Command {
	c := &cobra.Command{Use: "video SRC...", Short: "Load clips of video from files, folders, globs, lists, tables and tar shards"}
	f := newFlags(c, args)
	r := run{Load: f.Videos()}
	f.Text("save-first", &r.sheet, "FILE", "the first batch: a contact sheet with a clip a row (.png), or its clips one after the other (.mp4)")
	f.output(&r)
	c.RunE = func(c *cobra.Command, args []string) error { return r.start(f, c, args) }
	return c
}
