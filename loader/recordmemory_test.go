package loader_test

import (
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/proc"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// measuresMemory is set in the process that TestMemoryOfRecords starts.
const measuresMemory = "SPOOL_TEST_RECORD_MEMORY"

// The peak memory of a process that loads records is within 1.2 of the batches in flight and of the compressed bytes
// that are read ahead. The memory of a process that has loaded a small batch does not count.
func TestMemoryOfRecords(t *testing.T) {
	if os.Getenv(measuresMemory) != "" {
		measureMemory(t)
		return
	}
	built, ok := debug.ReadBuildInfo()
	require.True(t, ok)
	if slices.Contains(built.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector takes memory of its own")
	}
	program, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), program, "-test.run", "^TestMemoryOfRecords$", "-test.v")
	c.Env = append(os.Environ(), measuresMemory+"=1", "GOGC=20")
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	t.Log(string(out))
}

// measureMemory measures this process.
func measureMemory(t *testing.T) {
	spec := image.Spec{Resize: resize.Spec{Width: 384, Height: 384}}
	schema := record.Schema{
		{Name: "image", Input: "jpg;png", Kind: record.Image{Spec: spec,
			Augment: resize.Augment{ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5}}},
		{Name: "mask", Input: "seg.png", Kind: record.Mask{Like: "image"}},
	}
	shards := slices.Repeat([]string{"../testdata/records/{000..001}.tar"}, 40)
	run := func(batch, epochs int) int64 {
		src, err := source.OpenRecords(t.Context(), shards, schema.Inputs(),
			source.Options{Ignore: []string{"*"}})
		require.NoError(t, err)
		l, err := loader.Records(src, loader.RecordOptions{Schema: schema, Options: loader.Options{Batch: batch,
			Epochs: epochs, Workers: 2, Shuffle: true}})
		require.NoError(t, err)
		defer func() { require.NoError(t, l.Close()) }()
		for b, err := range l.Batches(t.Context()) {
			require.NoError(t, err)
			b.Release()
		}
		return l.Slabs().PeakBytes + l.Files().PeakBytes
	}
	run(2, 1)
	idle := proc.PeakRSS()
	planned := run(64, 2)
	grown := proc.PeakRSS() - idle
	t.Logf("batches in flight and bytes read ahead: %d MiB, peak memory less the idle process: %d MiB, %.2f",
		planned>>20, grown>>20, float64(grown)/float64(planned))
	assert.LessOrEqual(t, float64(grown), 1.2*float64(planned))
}
