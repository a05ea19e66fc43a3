package pack_test

import (
	"context"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/s3test"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
	"github.com/spoolmedia/spool/source/pack"
)

// kills is how many processes that pack are killed, for each format. A tenth of them pack into a bucket.
var kills = flag.Int("pack-kills", 10, "how many packing processes are killed, for each format")

// killed are the options of processes that are killed. The first shards are larger than the least part of an upload.
func killed(format string, store source.Store) pack.Options {
	return pack.Options{PerShard: 30, Shuffle: true, Seed: 3, Workers: 2, Format: formats[format], Store: store}
}

// A process that is killed at any time leaves whole shards, and the next continues to the bytes of an undisturbed one.
func TestKilled(t *testing.T) {
	for format := range formats {
		t.Run(format, func(t *testing.T) {
			folder := t.TempDir()
			kill(t, format, folder, folder, *kills)
		})
	}
	t.Run("bucket", func(t *testing.T) {
		s := s3test.Start(t)
		s.Login(t)
		s.Bucket("packed")
		folder := filepath.Join(s.Folder, "packed", "train")
		kill(t, "tar", "s3://packed/train", folder, max(*kills/10, 4))
		parts, err := filepath.Glob(filepath.Join(s.Folder, "packed", ".sgwtmp", "multipart", "*", "*"))
		require.NoError(t, err)
		assert.Empty(t, parts, "of uploads that were not ended")
	})
}

// kill packs into a destination whose files are in a folder, and kills processes that do.
func kill(t *testing.T, format, to, folder string, kills int) {
	if testing.Short() {
		kills = min(kills, 4)
	}
	client, err := object.New(object.Options{})
	require.NoError(t, err)
	defer client.Close()
	from, src := photos(t, 70, 500<<10)
	child := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childFolder+"="+to, childSource+"="+from, childFormat+"="+format)
		cmd.Stderr = os.Stderr
		require.NoError(t, cmd.Start())
		return cmd
	}
	began := time.Now()
	require.NoError(t, child().Wait())
	undisturbed := time.Since(began)
	want := contents(t, folder)
	require.Len(t, want, 5)
	empty := func() {
		names, err := filepath.Glob(folder + "/*")
		require.NoError(t, err)
		for _, name := range names {
			require.NoError(t, os.RemoveAll(name))
		}
	}
	empty()
	random := rand.New(rand.NewPCG(3, 4))
	for range kills {
		cmd := child()
		time.Sleep(time.Duration(random.Int64N(int64(undisturbed)))) //nolint:forbidigo // any moment
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if _, err := os.Stat(folder); err != nil {
			continue
		}
		got := contents(t, folder)
		for name, data := range got {
			if !strings.HasSuffix(name, ".part") && want[name] != data {
				require.Fail(t, "another file", name)
			}
		}
		if _, done := got["manifest.json"]; done {
			empty()
		}
	}
	_, err = pack.Write(context.Background(), src, to, killed(format, client))
	require.NoError(t, err)
	// A store may begin an upload after the process that asked for it was killed: the next call aborts it.
	_, err = pack.Write(context.Background(), src, to, killed(format, client))
	require.NoError(t, err)
	assert.True(t, maps.Equal(want, contents(t, folder)))
}
