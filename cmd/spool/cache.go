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

// cacheCall is one call of cache ls, cache rm or cache verify.
type cacheCall struct {
	folder string
	json   bool
	all    bool
	prefix string        // of entry names
	unused time.Duration // least time since the last use
	stdout io.Writer
}

// cacheCommand groups the commands that maintain a disk cache.
func cacheCommand() cli.Command {
	return cli.Group("cache", "List, verify and clean up disk caches",
		cacheMember("ls [DIR]", "List the entries of a disk cache", (*cacheCall).ls),
		cacheMember("rm [DIR]", "Remove entries of a disk cache", (*cacheCall).rm),
		cacheMember("verify [DIR]", "Verify all entries of a disk cache, and remove damaged ones", (*cacheCall).verify))
}

func cacheMember(use, short string, run func(*cacheCall, context.Context, *cache.Folder) error) cli.Command {
	return cli.Command{Use: use, Short: short, Define: func(c *cobra.Command, args []string) {
		defineCache(c, args, run)
	}}
}

func defineCache(c *cobra.Command, args []string, run func(*cacheCall, context.Context, *cache.Folder) error) {
	var x cacheCall
	removes := c.Name() == "rm"
	f := cli.NewFlags(c, args)
	f.Boolean("json", &x.json, false, "JSON")
	if c.Name() != "verify" {
		f.Text("prefix", &x.prefix, "NAME", "entries whose names begin with NAME: URLs, or file names")
		f.Add("unused-for", "TIME", "", "entries unused for this time, like 36h or 14d", func(text string) (err error) {
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
			f.Refuse("missing --all, or --prefix and --unused-for: give the entries to remove")
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
}

// cacheFolder returns the folder that a call names, or the user's.
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

// parseAge parses a time like 36h or 14d.
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

// wanted reports whether the call concerns an entry.
func (x *cacheCall) wanted(i cache.Info) bool {
	return strings.HasPrefix(i.Name, x.prefix) && time.Since(i.Used) >= x.unused
}

// cacheEntry is a line of cache ls.
type cacheEntry struct {
	Kind  cache.EntryKind `json:"kind"`
	Name  string          `json:"name"`
	Bytes int64           `json:"bytes"`
	Cost  float64         `json:"cost_ms"` // time that it took to get
	Made  time.Time       `json:"made"`
	Used  time.Time       `json:"used"`
}

// cacheSummary is the summary of cache ls.
type cacheSummary struct {
	Folder  string                    `json:"folder"`
	Entries int64                     `json:"entries"`
	Bytes   int64                     `json:"bytes"` // on the disk
	Ceiling int64                     `json:"ceiling"`
	Kinds   map[cache.EntryKind]int64 `json:"kinds"`
	Cost    float64                   `json:"cost_s"` // time that all took to get
	Ages    ages                      `json:"last_used"`
}

// ages counts entries by the time of their last use.
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

// ls prints a line for each entry, and a summary.
func (x *cacheCall) ls(ctx context.Context, folder *cache.Folder) error {
	h := cacheSummary{Folder: x.folder, Ceiling: folder.Stats().Ceiling, Kinds: map[cache.EntryKind]int64{}}
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
			err = output.JSON(x.stdout, cacheEntry{i.Kind, i.Name, i.Size, i.Cost.Seconds() * 1e3, i.Made.UTC(), i.Used.UTC()})
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s\t%.1f ms\t%s\t%s\n", i.Kind, tally.Amount(i.Size), i.Cost.Seconds()*1e3,
				i.Used.Format(time.DateTime), output.Printable(i.Name))
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
	_, err := fmt.Fprintf(x.stdout,
		"%s: %d entries, %s of %s: %d objects, %d ranges, %d samples, which took %.1f s to get; last used within an hour "+
			"%d, a day %d, a week %d, before %d\n",
		output.Printable(h.Folder), h.Entries, tally.Amount(h.Bytes), tally.Amount(h.Ceiling), h.Kinds[cache.Object],
		h.Kinds[cache.Range], h.Kinds[cache.Sample], h.Cost,
		h.Ages.Hour, h.Ages.Day, h.Ages.Week, h.Ages.Older)
	return err
}

// rm removes entries.
func (x *cacheCall) rm(ctx context.Context, folder *cache.Folder) error {
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
	_, err := fmt.Fprintf(x.stdout, "%s: %d entries removed, %s\n", output.Printable(x.folder), removed.Removed,
		tally.Amount(removed.Bytes))
	return err
}

// verify reads all entries.
func (x *cacheCall) verify(ctx context.Context, folder *cache.Folder) error {
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
	_, err = fmt.Fprintf(x.stdout, "%s: %d intact entries, %s; %d damaged ones removed\n", output.Printable(x.folder),
		v.Entries, tally.Amount(v.Bytes), v.Broken)
	return err
}
