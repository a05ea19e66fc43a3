package catalog

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// list is one call of list.
type list struct {
	kind   source.Medium
	out    string
	dir    string // of saved indexes
	use    settings.Columns
	stores object.Options
	stdout io.Writer
	stderr io.Writer
}

// List returns the command list.
func List(args []string) *cobra.Command {
	var l list
	c := &cobra.Command{Use: "list SOURCE...", Short: "List files, folders and stores as a table, which later runs load"}
	f := cli.NewFlags(c, args)
	settings.Choice(f.Set, "kind", &l.kind, "images", "which files of folders are listed",
		map[string]source.Medium{"images": source.Images, "video": source.Videos, "audio": source.Audio})
	f.Text("out", &l.out, "FILE.csv", "output file; stdout by default")
	f.IndexDir(&l.dir)
	f.Columns(&l.use)
	f.Stores(&l.stores)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, len(args), "files, folders, globs, @lists, tables or tar shards to list")
		if err := f.Problem(); err != nil {
			return err
		}
		l.stdout, l.stderr = c.OutOrStdout(), c.ErrOrStderr()
		return l.run(c.Context(), args)
	}
	return c
}

// run lists all sources before it writes anything.
func (l *list) run(ctx context.Context, sources []string) (err error) {
	remote, err := inputs.New(l.stores)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, remote.Close)
	o := source.Options{Medium: l.kind, AllowEmpty: true, Formats: settings.Manifests(), Remote: remote, Indexes: l.dir}
	l.use.Set(&o)
	found, err := source.Open(ctx, sources, o)
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
	file, err := output.Create(l.out)
	if err != nil {
		return err
	}
	return file.Finish(found.WriteManifest(file))
}
