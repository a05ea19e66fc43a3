package loader_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source/lerobot"
)

// arm is a data set whose frames show their camera, episode and number: see gen.py beside it.
const arm = "../source/lerobot/testdata/arm"

var (
	armLengths = []int{7, 5, 1, 9, 6, 4}
	armCameras = []string{"observation.images.front", "observation.images.wrist"}
)

// shown returns what a frame of NHWC pixels shows.
func shown(pixels []byte, width int) (camera, episode, frame int) {
	bit := func(i int) int {
		row, column := i/(width/8), i%(width/8)
		if pixels[3*((8*row+4)*width+8*column+4)] > 120 {
			return 1
		}
		return 0
	}
	number := func(first, n int) (v int) {
		for i := range n {
			v |= bit(first+i) << i
		}
		return v
	}
	return number(0, 4), number(4, 8), number(12, 8)
}

// openArm opens a data set with a schema of all its features.
func openArm(t testing.TB, root string, o lerobot.Options) (*lerobot.Records, record.Schema) {
	t.Helper()
	d, err := lerobot.Open(context.Background(), root, o)
	require.NoError(t, err)
	schema := record.LeRobotSchema(d, record.Video{})
	src, err := d.Records(schema.Inputs())
	require.NoError(t, err)
	return src, schema
}

// slotOf returns the bytes of a sample in a field.
func slotOf(t testing.TB, b *batch.Batch, name string, slot int) []byte {
	t.Helper()
	all := b.FieldBytes(slices.IndexFunc(b.Fields(), func(f batch.Field) bool { return f.Name == name }))
	n := len(all) / b.Len()
	return all[slot*n : (slot+1)*n]
}

// checkArm compares a sample with what its row should have, by offsets in frames.
func checkArm(t testing.TB, b *batch.Batch, slot int, offsets map[string][]int) {
	t.Helper()
	var episode, frame int
	_, err := fmt.Sscanf(b.Samples[slot].Key, "episode-%d/frame-%d", &episode, &frame)
	require.NoError(t, err)
	clamp := func(o int) int { return min(max(frame+o, 0), armLengths[episode]-1) }
	for c, name := range armCameras {
		width := []int{64, 48}[c]
		steps := offsets[name]
		if steps == nil {
			steps = []int{0}
		}
		frames := slotOf(t, b, name, slot)
		require.Len(t, frames, len(steps)*64*48*3)
		for i, o := range steps {
			gotCamera, gotEpisode, gotFrame := shown(frames[i*64*48*3:], width)
			require.Equal(t, []int{c, episode, clamp(o)}, []int{gotCamera, gotEpisode, gotFrame},
				"%s, step %d of %s", b.Samples[slot].Key, i, name)
			inside := byte(1)
			if clamp(o) != frame+o {
				inside = 0
			}
			require.Equal(t, inside, slotOf(t, b, name+".valid", slot)[i])
			if offsets[name] != nil {
				require.Equal(t, 1-inside, slotOf(t, b, name+"_is_pad", slot)[i])
			}
		}
	}
	var want []byte
	for _, o := range offsets["action"] {
		for k := range 2 {
			want = binary.NativeEndian.AppendUint32(want, math.Float32bits(float32(clamp(o))/8-float32(k)))
		}
	}
	require.Equal(t, want, slotOf(t, b, "action", slot))
	state := slotOf(t, b, "observation.state", slot)
	require.Equal(t, float32(100*episode+frame), math.Float32frombits(binary.NativeEndian.Uint32(state)))
	task := b.Samples[slot].Values[len(b.Samples[slot].Values)-1]
	require.Equal(t, []string{"pick the cube", "open the drawer"}[episode%2], string(task.Data))
}

// TestLeRobot loads each row, with windows beyond both ends of all episodes, in random order with several workers, and
// of some episodes only. Cameras have different files for the same episodes.
func TestLeRobot(t *testing.T) {
	offsets := map[string][]int{"observation.images.front": {-3, -1, 0, 1, 9, -20}, "observation.images.wrist": {-1},
		"action": {0, 1, 2, 20}}
	deltas := map[string][]float64{}
	for name, frames := range offsets {
		for _, n := range frames {
			deltas[name] = append(deltas[name], float64(n)/10)
		}
	}
	for _, o := range []lerobot.Options{{DeltaTimestamps: deltas},
		{DeltaTimestamps: deltas, Episodes: []int{4, 2, 1}, Memory: 20 << 10}} {
		src, schema := openArm(t, arm, o)
		for _, workers := range []int{1, 4} {
			ld, err := loader.Records(src, loader.RecordOptions{Schema: schema,
				Options: loader.Options{Batch: 5, Shuffle: true, Epochs: 3, Workers: workers}})
			require.NoError(t, err)
			samples, err := drain(t, ld, func(b *batch.Batch) int {
				for slot := range b.Samples {
					checkArm(t, b, slot, offsets)
				}
				return len(b.Samples)
			})
			require.NoError(t, err)
			total := 0
			for _, n := range samples {
				total += n
			}
			assert.Equal(t, 3*src.Len(), total)
		}
	}
}

// Without delta timestamps, a camera has the frame of its row, and there are no masks of padding.
func TestLeRobotRows(t *testing.T) {
	src, schema := openArm(t, arm, lerobot.Options{})
	assert.Negative(t, schema.Find("action_is_pad"))
	_, err := loadRecords(t, src, loader.RecordOptions{Schema: schema, Options: loader.Options{OnError: loader.Fail}},
		func(b *batch.Batch) int {
			for slot := range b.Samples {
				checkArm(t, b, slot, map[string][]int{"action": {0}})
			}
			return 0
		})
	require.NoError(t, err)
}

// copyArm copies the data set to a folder, and changes its description.
func copyArm(t testing.TB, replace ...string) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS(arm)))
	info := filepath.Join(root, "meta/info.json")
	text, err := os.ReadFile(info)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(info, []byte(strings.NewReplacer(replace...).Replace(string(text))), 0o600))
	return root
}

// What is wrong with files costs the samples that need them, and the ledger names the field and the file.
func TestBadLeRobot(t *testing.T) {
	const files = "videos/observation.images.wrist/chunk-000/file-00"
	ids := func(first, n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint(first+i))
		}
		return all
	}
	for name, c := range map[string]struct {
		spoil func(root string) error
		bad   []string
		class spool.Class
		field string
		file  string
	}{
		"missing video": {func(root string) error { return os.Remove(filepath.Join(root, files+"1.mp4")) },
			ids(7, 15), spool.ErrNotFound, "observation.images.wrist", files + "1.mp4"},
		// The episodes 1, 2 and 3 have 15 frames in the file, and the other file has 7.
		"short video": {func(root string) error {
			return os.Rename(filepath.Join(root, files+"0.mp4"), filepath.Join(root, files+"1.mp4"))
		}, append(ids(0, 7), ids(14, 8)...), "", "observation.images.wrist", files},
		"missing rows": {func(root string) error { return os.Remove(filepath.Join(root, "data/chunk-000/file-001.parquet")) },
			ids(13, 15), spool.ErrNotFound, "observation.images.front", "data/chunk-000/file-001.parquet"},
		"rows of other episodes": {func(root string) error {
			return os.Rename(filepath.Join(root, "data/chunk-001/file-000.parquet"),
				filepath.Join(root, "data/chunk-000/file-001.parquet"))
		}, ids(13, 19), "", "observation.images.front", "data/chunk-00"},
	} {
		root := copyArm(t)
		require.NoError(t, c.spoil(root))
		src, schema := openArm(t, root, lerobot.Options{})
		ledger := &pipe.MemoryLedger{}
		_, err := loadRecords(t, src, loader.RecordOptions{Schema: schema,
			Options: loader.Options{Failures: loader.Failures{Ledger: ledger}, OnError: loader.Skip}},
			func(b *batch.Batch) int { return b.Len() })
		require.NoError(t, err, name)
		var bad []string
		for _, f := range ledger.Failures() {
			bad = append(bad, f.ID)
			assert.Equal(t, c.field, f.Field, name)
			assert.Contains(t, f.Err.Error(), filepath.Join(root, c.file), name)
			if c.class != "" {
				assert.ErrorIs(t, f.Err, c.class, name)
			}
		}
		assert.ElementsMatch(t, c.bad, bad, name)
	}
}

// A frame rate that is not that of the rows makes rows bad, except for the first of each episode.
func TestLeRobotTimestamps(t *testing.T) {
	src, schema := openArm(t, copyArm(t, `"fps": 10`, `"fps": 12`), lerobot.Options{})
	ledger := &pipe.MemoryLedger{}
	got, err := loadRecords(t, src, loader.RecordOptions{Schema: schema,
		Options: loader.Options{Failures: loader.Failures{Ledger: ledger}, OnError: loader.Skip}},
		func(b *batch.Batch) int { return len(b.Samples) })
	require.NoError(t, err)
	assert.Equal(t, []int{6}, got)
	for _, f := range ledger.Failures() {
		assert.ErrorIs(t, f.Err, spool.ErrNoSuchFrame)
		assert.ErrorContains(t, f.Err, "timestamp")
	}
}
