package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/source/cache"
)

// caching is one call of cache ls, cache rm or cache verify.
type caching struct {
	folder string
	json   bool
	all    bool
	prefix string        // of the names of entries
	unused time.Duration // how long nobody has used them; 0: however short
	stdout io.Writer
}

// cacheCommand has the commands that look after a cache on a disk.
func cacheCommand(args []string) *cobra.Command {
	c := cli.Group("cache", "Look after a disk cache")
	c.AddCommand(
		cacheMember(args, "ls [DIR]", "Say what a disk cache holds", (*caching).ls, false),
		cacheMember(args, "rm [DIR]", "Remove entries of a disk cache", (*caching).rm, true),
		cacheMember(args, "verify [DIR]", "Read all entries of a disk cache, and remove what is not whole", (*caching).verify, false))
	return c
}

func cacheMember(args []string, use, short string, run func(*caching, context.Context, *cache.Folder) error, removes bool) *cobra.Command {
	var x caching
	c := &cobra.Command{Use: use, Short: short}
	f := cli.NewFlags(c, args)
	f.Boolean("json", &x.json, false, "JSON")
	if !strings.HasPrefix(use, "verify") {
		f.Text("prefix", &x.prefix, "NAME", "entries whose names begin so: addresses, or names of files")
		f.Add("unused-for", "TIME", "", "entries that nobody has used for so long, like 36h or 14d", func(text string) (err error) {
			x.unused, err = parseAge(text)
			return err
		})
	}
	if removes {
		f.Boolean("all", &x.all, false, "all entries")
	}
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		f.Arguments(args, 0, 1, "")
		if removes && x.all == (x.prefix != "" || x.unused != 0) {
			f.Refuse("what is to go? One of --all, or --prefix and --unused-for")
		}
		if err := f.Problem(); err != nil {
			return err
		}
		if x.folder, err = cacheFolder(args); err != nil {
			return err
		}
		x.stdout = c.OutOrStdout()
		folder, err := cache.Look(x.folder)
		if err != nil {
			return err
		}
		defer cli.Closing(&err, folder.Close)
		return run(&x, c.Context(), folder)
	}
	return c
}

// cacheFolder is the folder that a call names, or the user's.
func cacheFolder(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	home, err := os.UserCacheDir()
	if err != nil {
		return "", cli.Usagef("which folder? %v", err)
	}
	return filepath.Join(home, "spool"), nil
}

// parseAge reads a time like 36h or 14d.
func parseAge(text string) (time.Duration, error) {
	days, inDays := strings.CutSuffix(text, "d")
	if inDays {
		text = days + "h"
	}
	d, err := time.ParseDuration(text)
	if inDays {
		d *= 24
	}
	if err != nil || d <= 0 {
		return 0, errors.New("a time like 36h or 14d")
	}
	return d, nil
}

// wanted reports whether the call is about an entry.
func (x *caching) wanted(i cache.Info) bool {
	return strings.HasPrefix(i.Name, x.prefix) && time.Since(i.Used) >= x.unused
}

// kept is a line of cache ls.
type kept struct {
	Kind  cache.Kind `json:"kind"`
	Name  string     `json:"name"`
	Bytes int64      `json:"bytes"`
	Cost  float64    `json:"cost_ms"` // that it took to get
	Made  time.Time  `json:"made"`
	Used  time.Time  `json:"used"`
}

// holds is the sum of cache ls.
type holds struct {
	Folder  string               `json:"folder"`
	Entries int64                `json:"entries"`
	Bytes   int64                `json:"bytes"` // on the disk
	Ceiling int64                `json:"ceiling"`
	Kinds   map[cache.Kind]int64 `json:"kinds"`
	Cost    float64              `json:"cost_s"` // that all took to get
	Ages    ages                 `json:"last_used"`
}

// ages are how many entries were last used when.
type ages struct {
	Hour  int64 `json:"hour"`
	Day   int64 `json:"day"`
	Week  int64 `json:"week"`
	Older int64 `json:"older"`
}

func (a *ages) add(d time.Duration) {
	switch {
	case d < time.Hour:
		a.Hour++
	case d < 24*time.Hour:
		a.Day++
	case d < 7*24*time.Hour:
		a.Week++
	default:
		a.Older++
	}
}

// ls prints a line for each entry, and what they are in all.
func (x *caching) ls(ctx context.Context, folder *cache.Folder) error {
	h := holds{Folder: x.folder, Ceiling: folder.Stats().Ceiling, Kinds: map[cache.Kind]int64{}}
	table := tabwriter.NewWriter(x.stdout, 0, 0, 2, ' ', 0)
	for i, err := range folder.Entries(ctx) {
		if err != nil {
			return err
		}
		if !x.wanted(i) {
			continue
		}
		h.Entries++
		h.Bytes += i.Room
		h.Kinds[i.Kind]++
		h.Cost += i.Cost.Seconds()
		h.Ages.add(time.Since(i.Used))
		if x.json {
			err = output.JSON(x.stdout, kept{i.Kind, i.Name, i.Size, i.Cost.Seconds() * 1e3, i.Made.UTC(), i.Used.UTC()})
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s\t%.1f ms\t%s\t%s\n", i.Kind, tally.Amount(i.Size), i.Cost.Seconds()*1e3, i.Used.Format(time.DateTime), output.Printable(i.Name))
		}
		if err != nil {
			return err
		}
	}
	if x.json {
		return output.JSON(x.stdout, h)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(x.stdout, "%s: %d entries, %s of %s: %d objects, %d ranges, %d samples, which took %.1f s to get; last used within an hour %d, a day %d, a week %d, before %d\n",
		output.Printable(h.Folder), h.Entries, tally.Amount(h.Bytes), tally.Amount(h.Ceiling), h.Kinds[cache.Object], h.Kinds[cache.Range], h.Kinds[cache.Sample], h.Cost,
		h.Ages.Hour, h.Ages.Day, h.Ages.Week, h.Ages.Older)
	return err
}

// rm removes entries.
func (x *caching) rm(ctx context.Context, folder *cache.Folder) error {
	removed := struct {
		Folder  string `json:"folder"`
		Removed int64  `json:"removed"`
		Bytes   int64  `json:"bytes"`
	}{Folder: x.folder}
	for i, err := range folder.Entries(ctx) {
		if err != nil {
			return err
		}
		if !x.wanted(i) {
			continue
		}
		if err := folder.Remove(i); err != nil {
			return err
		}
		removed.Removed++
		removed.Bytes += i.Room
	}
	if x.json {
		return output.JSON(x.stdout, removed)
	}
	_, err := fmt.Fprintf(x.stdout, "%s: %d entries removed, %s\n", output.Printable(x.folder), removed.Removed, tally.Amount(removed.Bytes))
	return err
}

// verify reads all.
func (x *caching) verify(ctx context.Context, folder *cache.Folder) error {
	v, err := folder.Verify(ctx)
	if err != nil {
		return err
	}
	if x.json {
		return output.JSON(x.stdout, struct {
			Folder  string `json:"folder"`
			Entries int64  `json:"entries"`
			Bytes   int64  `json:"bytes"`
			Broken  int64  `json:"broken"`
		}{x.folder, v.Entries, v.Bytes, v.Broken})
	}
	_, err = fmt.Fprintf(x.stdout, "%s: %d entries are whole, %s; %d were not, and are removed\n", output.Printable(x.folder), v.Entries, tally.Amount(v.Bytes), v.Broken)
	return err
}
