package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/tally"
)

// cachedSamples fills a disk cache with decoded samples by a run.
func cachedSamples(t *testing.T) (folder string, args []string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "cache")
	args = []string{"run", "images", "../../testdata/photos", "--size", "32", "--disk-cache", folder, "--disk-cache-of",
		"samples", "--digest"}
	return folder, args
}

func TestCache(t *testing.T) {
	folder, args := cachedSamples(t)
	first := tool.Run(args...)
	require.Equal(t, 0, first.Code, first.Stderr)
	second := tool.Run(append(args, "--json")...)
	require.Equal(t, 0, second.Code, second.Stderr)
	require.NotEmpty(t, clitest.Digests(first.Stdout))
	require.Equal(t, clitest.Digests(first.Stdout), clitest.Digests(second.Stdout))
	assert.Contains(t, first.Stdout, "disk cache: 0 hits")
	var sum struct {
		Samples int64
		Cache   struct{ Hits, Misses, Entries int64 } `json:"disk_cache"`
	}
	lines := strings.Split(strings.TrimSpace(second.Stdout), "\n")
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &sum))
	assert.Equal(t, sum.Samples, sum.Cache.Hits)
	assert.Zero(t, sum.Cache.Misses)

	ls := tool.Run("cache", "ls", folder, "--json")
	require.Equal(t, 0, ls.Code, ls.Stderr)
	lines = strings.Split(strings.TrimSpace(ls.Stdout), "\n")
	require.Len(t, lines, int(sum.Samples)+1)
	var all cacheSummary
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &all))
	assert.Equal(t, sum.Cache.Entries, all.Entries)
	assert.Equal(t, all.Entries, all.Kinds["sample"])
	assert.Equal(t, all.Entries, all.Ages.Hour)
	assert.EqualValues(t, 10<<30, all.Ceiling)
	assert.Contains(t, tool.Run("cache", "ls", folder).Stdout, "0 ranges")

	names, err := filepath.Glob(filepath.Join(folder, "v1/[0-9a-f][0-9a-f]/*"))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(names[0], 2000))
	verified := tool.Run("cache", "verify", folder)
	require.Equal(t, 0, verified.Code, verified.Stderr)
	assert.Contains(t, verified.Stdout, "; 1 damaged ones removed")

	assert.Contains(t, tool.Run("cache", "rm", folder, "--unused-for", "1d").Stdout, ": 0 entries removed")
	some := tool.Run("cache", "rm", folder, "--prefix", "../../testdata/photos/animal", "--json")
	require.Equal(t, 0, some.Code, some.Stderr)
	assert.NotContains(t, some.Stdout, `"removed":0`)
	left := tool.Run("cache", "ls", folder).Stdout
	assert.NotContains(t, left, "/animal/")
	require.Equal(t, 0, tool.Run("cache", "rm", folder, "--all").Code)
	assert.Contains(t, tool.Run("cache", "ls", folder).Stdout, ": 0 entries")

	none := tool.Run("cache", "ls", t.TempDir())
	assert.Equal(t, 1, none.Code)
	assert.Contains(t, none.Stderr, "not-found: no disk cache")
}

// A cache that cannot be opened prints a line, and is no failure.
func TestCacheThatCannotBe(t *testing.T) {
	_, args := cachedSamples(t)
	args[6] = filepath.Join(clitest.Photo, "cache") // below a file
	ran := tool.Run(args...)
	require.Equal(t, 0, ran.Code, ran.Stderr)
	assert.Equal(t, 1, strings.Count(ran.Stderr, "disk cache: nothing more is stored"), ran.Stderr)
}

// A full or read-only disk prints one line, too. The batches are those of a run without a cache, and stored samples are
// read.
func TestCacheOnBadDisks(t *testing.T) {
	folder := t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=1m"); err != nil {
		need.Skip(t, need.System, "no disk can be mounted: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, unix.Unmount(folder, unix.MNT_DETACH)) })
	_, args := cachedSamples(t)
	args[4] = "160" // 77 kB a sample
	want := tool.Run(clitest.With(args[:5], "--digest")...)
	args[6] = folder
	run := func(warnings int) tally.Cache {
		t.Helper()
		ran := tool.Run(clitest.With(args, "--json")...)
		require.Equal(t, 0, ran.Code, ran.Stderr)
		require.NotEmpty(t, clitest.Digests(want.Stdout))
		require.Equal(t, clitest.Digests(want.Stdout), clitest.Digests(ran.Stdout))
		assert.Equal(t, warnings, strings.Count(ran.Stderr, "disk cache: nothing more is stored"), ran.Stderr)
		var sum struct {
			Cache tally.Cache `json:"disk_cache"`
		}
		lines := strings.Split(strings.TrimSpace(ran.Stdout), "\n")
		require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &sum))
		assert.Equal(t, warnings > 0, sum.Cache.Off)
		return sum.Cache
	}
	full := run(1)
	assert.Positive(t, full.Kept)
	assert.Equal(t, full.Kept, run(1).Hits)
	require.NoError(t, unix.Mount("", folder, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	assert.Equal(t, full.Kept, run(1).Hits)
}

// Concurrent runs that share a folder, which is too small for everything, give what each gives alone.
func TestCacheShared(t *testing.T) {
	folder, args := cachedSamples(t)
	want := tool.Run(clitest.With(args[:5], "--digest")...)
	require.NotEmpty(t, clitest.Digests(want.Stdout))
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			ran := tool.Run(clitest.With(args, "--disk-cache-bytes", "96KiB", "--epochs", "2")...)
			assert.Equal(t, 0, ran.Code, ran.Stderr)
			assert.Empty(t, ran.Stderr)
			lines := clitest.Digests(ran.Stdout)
			if assert.Len(t, lines, 2*len(clitest.Digests(want.Stdout))) {
				for i, line := range clitest.Digests(want.Stdout) {
					digest := line[strings.LastIndex(line, " "):]
					assert.True(t, strings.HasSuffix(lines[i], digest) && strings.HasSuffix(lines[len(lines)/2+i], digest), lines)
				}
			}
		})
	}
	all.Wait()
	verified := tool.Run("cache", "verify", folder)
	assert.Contains(t, verified.Stdout, "; 0 damaged ones removed")
	names, err := filepath.Glob(filepath.Join(folder, "v1/[0-9a-f][0-9a-f]/*"))
	require.NoError(t, err)
	assert.NotEmpty(t, names)
	assert.LessOrEqual(t, len(names), 96/4)
}

func TestCacheUsage(t *testing.T) {
	for args, text := range map[string]string{
		"cache rm x":                                                  "missing --all, or --prefix and --unused-for",
		"cache rm x --all --prefix s3://":                             "missing --all, or --prefix and --unused-for",
		"cache ls x y":                                                "too many arguments",
		"cache ls x --unused-for soon":                                "a time like 36h or 14d",
		"run images x --disk-cache-of samples":                        "need --disk-cache",
		"run images x --disk-cache-bytes 1GiB":                        "need --disk-cache",
		"run images x --disk-cache y --disk-cache-of z":               "must be objects or samples",
		"run images x --train --disk-cache y --disk-cache-of samples": "each epoch has other pixels",
	} {
		ran := tool.Run(strings.Fields(args)...)
		assert.Equal(t, cli.ExitUsage, ran.Code, args)
		assert.Contains(t, ran.Stderr, text, args)
	}
}
