package catalog

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/table"
)

// tableRows returns the cells of a table by the base names of its files.
func tableRows(t *testing.T, name string, columns ...string) map[string][]string {
	t.Helper()
	ctx := context.Background()
	rows, err := arrow.Open(ctx, func(context.Context) (spool.Object, error) { return spool.File(name).Open() },
		table.Columns{Path: []string{"path"}, Cells: true}, table.NewCache(1<<30))
	require.NoError(t, err)
	all := map[string][]string{}
	for k := range rows.Len() {
		row, err := rows.Row(k)
		require.NoError(t, err)
		var values []string
		for _, c := range columns {
			cell, err := rows.(table.Cells).Cell(ctx, k, c)
			require.NoError(t, err)
			values = append(values, string(cell.Data))
		}
		all[filepath.Base(row.Path)] = values
	}
	return all
}

// Widths, heights and frames are those that torchcodec reports; bad files have their class.
func TestListProbe(t *testing.T) {
	videos := need.Media(t, "video")
	expected := clitest.SharedMedia(t)
	out := filepath.Join(t.TempDir(), "videos.arrow")
	o := tool.Run("list", videos, "--kind", "video", "--probe", "--out", out)
	require.Equal(t, cli.ExitDone, o.Code, o.Stderr)
	compared := 0
	for name, got := range tableRows(t, out, "width", "height", "duration", "error", "size") {
		want, ok := expected["video/"+name]
		if !ok || want.Width == 0 {
			continue
		}
		if want.Rotation == "90.0" || want.Rotation == "-90.0" {
			want.Width, want.Height = want.Height, want.Width
		}
		assert.Equal(t, []string{strconv.Itoa(want.Width), strconv.Itoa(want.Height)}, got[:2], name)
		assert.Empty(t, got[3])
		info, err := os.Stat(filepath.Join(videos, name))
		require.NoError(t, err)
		assert.Equal(t, strconv.FormatInt(info.Size(), 10), got[4])
		compared++
	}
	assert.Greater(t, compared, 3)

	compared = 0
	out = filepath.Join(t.TempDir(), "photos.arrow")
	tool.Done(t, "list", need.Media(t, "photos"), "--probe", "--out", out)
	for name, got := range tableRows(t, out, "width", "height", "channels", "format") {
		shape := expected["photos/"+name].Shape // upright; photos are not rotated
		if len(shape) != 3 {
			continue
		}
		compared++
		assert.Equal(t, []string{strconv.Itoa(shape[1]), strconv.Itoa(shape[0])}, got[:2], name)
	}
	assert.Greater(t, compared, 3)
}

// A refreshed table is the table of a new listing, and only files that changed are looked at.
func TestListRefresh(t *testing.T) {
	folder := t.TempDir()
	photo := clitest.Content(t, "photos/animal/00.jpg")
	put := func(name string, data []byte, days int) {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		at := time.Unix(int64(86400*days), 0)
		require.NoError(t, os.Chtimes(path, at, at))
	}
	for _, name := range []string{"a.jpg", "b.jpg", "c.jpg", "d.jpg"} {
		put(name, photo, 1)
	}
	out := filepath.Join(t.TempDir(), "photos.arrow")
	refresh := func(flags ...string) string {
		o := tool.Run(append([]string{"list", folder, "--probe", "--out", out}, flags...)...)
		require.Equal(t, cli.ExitDone, o.Code, o.Stderr)
		return strings.TrimPrefix(o.Stderr, "spool: "+out+": ")
	}
	assert.Equal(t, "4 samples are new, 0 changed, 0 as before, 0 gone\n", refresh("--refresh"))
	first := tableRows(t, out, "width", "height", "format", "error")
	require.NotEmpty(t, first["a.jpg"][0])

	put("a.jpg", []byte(strings.Repeat("x", len(photo))), 1) // the same size and time: it is not looked at
	put("b.jpg", []byte("no photo"), 2)
	put("e.jpg", photo, 1)
	require.NoError(t, os.Remove(folder+"/c.jpg"))
	assert.Equal(t, "1 samples are new, 1 changed, 2 as before, 1 gone\nspool: "+out+
		": 1 files cannot be probed: see the column error\n", refresh("--refresh"))
	got := tableRows(t, out, "width", "height", "format", "error")
	assert.Equal(t, map[string][]string{"a.jpg": first["a.jpg"], "b.jpg": {"", "", "", "not-media"},
		"d.jpg": first["a.jpg"],
		"e.jpg": first["a.jpg"]}, got)

	put("a.jpg", photo, 1)
	kept, err := os.ReadFile(out)
	require.NoError(t, err)
	refresh()
	again, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, kept, again, "a table that was refreshed, and one made anew")
	assert.Equal(t, 3, clitest.Summarized(t, tool.Done(t, "run", "images", out, "--size", "16", "--json",
		"--where", "width > 10")).Samples)

	assert.Equal(t, cli.ExitUsage, tool.Run("list", folder, "--probe").Code)
	assert.Equal(t, cli.ExitUsage, tool.Run("list", folder, "--refresh", "--out", "x.csv").Code)
}
