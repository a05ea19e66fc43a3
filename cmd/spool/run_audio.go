package main

import (
	"github.com/spf13/cobra"
)

func runAudioCommand(args []string) *cobra.Command {
	c := &cobra.Command{Use: "audio SRC...", Short: "Load sound from files, folders, globs, lists, tables and tar shards"}
	f := newFlags(c, args)
	r := run{Load: f.Sounds()}
	f.output(&r)
	c.RunE = func(c *cobra.Command, args []string) error { return r.start(f, c, args) }
	return c
}
