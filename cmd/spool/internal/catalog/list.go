package catalog

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
)

// list is one call of list.
type list struct {
	settings.Listing
	out     string
	probe   bool
	refresh bool
	stdout  io.Writer
	stderr  io.Writer
}

// List returns the command list.
func List() cli.Command {
	return cli.Command{Use: "list SOURCE...", Aliases: []string{"compile"},
		Short: "List files, folders and stores as a table, which later runs load", Define: defineList}
}

func defineList(c *cobra.Command, args []string) {
	var l list
	f := cli.NewFlags(c, args)
	f.Listing(&l.Listing)
	f.Text("out", &l.out, "FILE", "output file: CSV, or a table that opens at once if it ends in .arrow; "+
		"stdout by default")
	f.Boolean("probe", &l.probe, false, "look at each file: columns of its format, width, height, frames, duration in "+
		"seconds, rate, channels, and error, the class of its error")
	f.Boolean("refresh", &l.refresh, false, "keep what --out has of files that are unchanged, and print how many are "+
		"new, changed and gone")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, len(args), "files, folders, globs, @lists, tables or tar shards to list")
		if (l.probe || l.refresh) && filepath.Ext(l.out) != ".arrow" {
			f.Refuse("--probe and --refresh need --out FILE.arrow")
		}
		if err := f.Problem(); err != nil {
			return err
		}
		l.stdout, l.stderr = c.OutOrStdout(), c.ErrOrStderr()
		return l.run(c.Context(), args)
	}
}

// run lists all sources before it writes anything.
func (l *list) run(ctx context.Context, sources []string) (err error) {
	remote, err := inputs.New(l.Stores)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, remote.Close)
	found, err := l.Open(ctx, sources, remote)
	if err != nil {
		return err
	}
	console := output.NewConsole(l.stderr)
	for _, notice := range settings.AllAs(found.Notices(), settings.AsFlags) {
		console.Line("spool: " + notice)
	}
	if n := found.Skipped().Rows; n > 0 {
		console.Line(fmt.Sprintf("spool: %d rows of tables are left out by --where", n))
	}
	if err := found.Damage(); err != nil {
		return err
	}
	if l.out == "" {
		w := bufio.NewWriter(l.stdout)
		if err := found.WriteManifest(w); err != nil {
			return err
		}
		return w.Flush()
	}
	if filepath.Ext(l.out) == ".arrow" {
		return l.table(ctx, found, console)
	}
	file, err := output.Create(l.out)
	if err != nil {
		return err
	}
	return file.Finish(found.WriteManifest(file))
}

// table writes an Arrow table in place of the one before it, which loaders may have mapped into memory.
func (l *list) table(ctx context.Context, found *source.Listing, console *output.Console) (err error) {
	var before *earlierTable
	if l.refresh {
		if before, err = openEarlier(ctx, l.out); err != nil {
			return err
		}
	}
	var all *survey
	var columns []arrow.Column
	if l.probe {
		if all, err = newSurvey(ctx, found, before); err != nil {
			return err
		}
		columns = all.columns()
	}
	file, err := renameio.NewPendingFile(l.out, renameio.WithTempDir(filepath.Dir(l.out)), renameio.WithPermissions(0o644))
	if err != nil {
		return spool.FileError("write", l.out, err)
	}
	defer func() { _ = file.Cleanup() }() // there is nothing left after a replacement
	if err := arrow.WriteTable(ctx, file, found, columns...); err != nil {
		return spool.InFile(err, l.out)
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return spool.FileError("write", l.out, err)
	}
	if l.refresh {
		console.Line("spool: " + spool.Redacted(l.out) + ": " + before.compare(found, all))
	}
	if all != nil && all.bad > 0 {
		console.Line(fmt.Sprintf("spool: %s: %d files cannot be probed: see the column error", spool.Redacted(l.out),
			all.bad))
	}
	return nil
}
