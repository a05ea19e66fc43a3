package lerobot_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/lerobot"
	"github.com/spoolmedia/spool/source/npy"
)

// What testdata/gen.py writes.
var (
	lengths = []int{7, 5, 1, 9, 6, 4}
	tasks   = []string{"pick the cube", "open the drawer"}
	front   = []string{"000/file-000", "000/file-000", "000/file-001", "000/file-001", "000/file-001", "000/file-001"}
	wrist   = []string{"000/file-000", "000/file-001", "000/file-001", "000/file-001", "001/file-000", "001/file-000"}
	data    = []string{"000/file-000", "000/file-000", "000/file-000", "000/file-001", "000/file-001", "001/file-000"}
)

const fps = 10

func open(t testing.TB, root string, o lerobot.Options) *lerobot.DataSet {
	t.Helper()
	d, err := lerobot.Open(context.Background(), root, o)
	require.NoError(t, err)
	return d
}

// records opens the samples of a data set with the inputs of these names.
func records(t testing.TB, d *lerobot.DataSet, names ...string) *lerobot.Records {
	t.Helper()
	var inputs []source.Input
	for _, name := range names {
		inputs = append(inputs, source.Input{Name: name})
	}
	r, err := d.Records(inputs)
	require.NoError(t, err)
	return r
}

// read returns the bytes of an input, and its name.
func read(t testing.TB, r *lerobot.Records, i, k int) ([]byte, spool.ObjectInfo) {
	t.Helper()
	o, err := r.OpenInput(context.Background(), i, k)
	require.NoError(t, err)
	defer o.Close()
	bytes, err := spool.ReadAll(context.Background(), o, nil, 1<<20)
	require.NoError(t, err)
	return bytes, o.Info()
}

// array returns the numbers of an input.
func array[T npy.Number](t testing.TB, r *lerobot.Records, i, k int) ([]T, []int) {
	t.Helper()
	bytes, _ := read(t, r, i, k)
	a, rest, err := npy.Parse(bytes)
	require.NoError(t, err)
	require.Empty(t, rest)
	values, err := npy.Values[T](a)
	require.NoError(t, err)
	return values, a.Shape
}

// start is where an episode begins in a camera's file.
func start(places []string, episode int) (frames int) {
	for e := range episode {
		if places[e] == places[episode] {
			frames += lengths[e]
		}
	}
	return frames
}

// TestRows compares all inputs of all rows, without windows, with what was written.
func TestRows(t *testing.T) {
	for _, memory := range []int64{0, 20 << 10} { // columns stay in memory, or are read for each row
		d := open(t, "testdata/arm", lerobot.Options{Memory: memory})
		r := records(t, d, "observation.images.front", "observation.images.front.start", "observation.images.front.end",
			"observation.images.wrist", "observation.images.wrist.start", "frame_time", "observation.state",
			"observation.force", "next.reward", "next.done", "note", "index", "task", "none; timestamp")
		require.Equal(t, 32, r.Len())
		assert.Equal(t, lengths, r.Sizes())
		assert.False(t, r.Remote())
		assert.Nil(t, r.Classes())
		i := 0
		for e, n := range lengths {
			for f := range n {
				item := r.Item(i)
				assert.Equal(t, fmt.Sprintf("episode-%06d/frame-%06d", e, f), item.Key)
				assert.Equal(t, fmt.Sprintf("testdata/arm/data/chunk-%s.parquet:%d", data[e], start(data, e)+f+1), item.Name)
				_, info := read(t, r, i, 0)
				assert.Equal(t, "testdata/arm/videos/observation.images.front/chunk-"+front[e]+".mp4", info.Name)
				assert.InDelta(t, float64(start(front, e))/fps, decimal(t, r, i, 1), 1e-9)
				assert.InDelta(t, float64(start(front, e)+n)/fps, decimal(t, r, i, 2), 1e-9)
				_, info = read(t, r, i, 3)
				assert.Equal(t, "testdata/arm/videos/observation.images.wrist/chunk-"+wrist[e]+".mp4", info.Name)
				assert.InDelta(t, float64(start(wrist, e))/fps, decimal(t, r, i, 4), 1e-9)
				assert.InDelta(t, float64(f)/fps, decimal(t, r, i, 5), 1e-12)
				state, _ := array[float32](t, r, i, 6)
				base := float32(100*e + f)
				assert.Equal(t, []float32{base, base + 0.25, base + 0.5}, state)
				force, shape := array[float64](t, r, i, 7)
				b := float64(e - f)
				assert.Equal(t, []float64{b, b + 1, b + 2, b + 3, b + 4, b + 5}, force)
				assert.Equal(t, []int{2, 3}, shape)
				assert.InDelta(t, float64(e)/2, decimal(t, r, i, 8), 0)
				done := 0.0
				if f == n-1 {
					done = 1
				}
				assert.InDelta(t, done, decimal(t, r, i, 9), 0)
				note, _ := read(t, r, i, 10)
				assert.Equal(t, fmt.Sprintf("frame %d of episode %d", f, e), string(note))
				index, _ := array[int64](t, r, i, 11)
				assert.Equal(t, []int64{int64(i)}, index)
				task, _ := read(t, r, i, 12)
				assert.Equal(t, tasks[e%2], string(task))
				assert.InDelta(t, float64(f)/fps, decimal(t, r, i, 13), 1e-6)
				i++
			}
		}
	}
}

func decimal(t testing.TB, r *lerobot.Records, i, k int) float64 {
	t.Helper()
	text, _ := read(t, r, i, k)
	v, err := strconv.ParseFloat(string(text), 64)
	require.NoError(t, err)
	return v
}

// TestWindows compares windows with the rule of LeRobot: frames beyond an episode are its first or last one. Offsets
// lead beyond both ends of each episode, into the neighbors.
func TestWindows(t *testing.T) {
	deltas := []float64{-1.2, -0.1, 0, 0.10005, 0.3, 2}
	offsets := []int{-12, -1, 0, 1, 3, 20}
	d := open(t, "testdata/arm", lerobot.Options{DeltaTimestamps: map[string][]float64{"action": deltas,
		"observation.force": {0.1}, "next.reward": {-0.1, 0}, "observation.images.wrist": deltas}})
	r := records(t, d, "action", "action_is_pad", "observation.force", "next.reward", "next.reward_is_pad",
		"observation.images.wrist_is_pad")
	assert.InDeltaSlice(t, []float64{-1.2, -0.1, 0, 0.1, 0.3, 2}, d.Deltas("observation.images.wrist"), 1e-12)
	assert.Nil(t, d.Deltas("observation.state"))
	i := 0
	for e, n := range lengths {
		for f := range n {
			var want []float32
			var pads []uint8
			for _, o := range offsets {
				at := min(max(f+o, 0), n-1)
				want = append(want, float32(at)/8, float32(at)/8-1)
				pads = append(pads, 0)
				if f+o != at {
					pads[len(pads)-1] = 1
				}
			}
			got, shape := array[float32](t, r, i, 0)
			assert.Equal(t, want, got, "episode %d frame %d", e, f)
			assert.Equal(t, []int{6, 2}, shape)
			is, _ := array[uint8](t, r, i, 1)
			assert.Equal(t, pads, is)
			is, _ = array[uint8](t, r, i, 5)
			assert.Equal(t, pads, is)
			force, shape := array[float64](t, r, i, 2)
			assert.InDelta(t, float64(e-min(f+1, n-1)), force[0], 0)
			assert.Equal(t, []int{1, 2, 3}, shape)
			_, shape = array[float32](t, r, i, 3)
			assert.Equal(t, []int{2}, shape)
			i++
		}
	}
}

// Chosen episodes are samples in the order of the data set; their windows are those of the whole data set.
func TestEpisodes(t *testing.T) {
	all := open(t, "testdata/arm", lerobot.Options{DeltaTimestamps: map[string][]float64{"action": {-0.2, 0, 0.2}}})
	some := open(t, "testdata/arm", lerobot.Options{Episodes: []int{5, 1, 3, 1},
		DeltaTimestamps: map[string][]float64{"action": {-0.2, 0, 0.2}}})
	require.Equal(t, 18, some.Len())
	names := []string{"index", "action", "action_is_pad", "observation.images.wrist.start"}
	r, whole := records(t, some, names...), records(t, all, names...)
	for i := range r.Len() {
		index, _ := array[int64](t, r, i, 0)
		assert.Equal(t, whole.Item(int(index[0])).Key, r.Item(i).Key)
		for k := range names {
			want, _ := read(t, whole, int(index[0]), k)
			got, _ := read(t, r, i, k)
			assert.Equal(t, want, got)
		}
	}
	assert.Equal(t, "episode-000001/frame-000000", r.Item(0).Key)
	assert.Equal(t, "episode-000005/frame-000003", r.Item(17).Key)
}

// Images in rows are inputs, one for each step of a window, and so are depth maps. Depth maps of videos are not.
func TestImages(t *testing.T) {
	d := open(t, "testdata/stills", lerobot.Options{
		DeltaTimestamps: map[string][]float64{"observation.image": {0, 0.1}}})
	single := records(t, open(t, "testdata/stills", lerobot.Options{}), "observation.image", "task")
	r := records(t, d, "observation.image.0", "observation.image.1", "observation.image_is_pad")
	for i, next := range []int{1, 2, 2, 4, 4} {
		want, _ := read(t, single, i, 0)
		got, info := read(t, r, i, 0)
		assert.Equal(t, want, got)
		assert.Equal(t, fmt.Sprintf("testdata/stills/data/chunk-000/file-000.parquet:%d/observation.image", i+1), info.Name)
		want, _ = read(t, single, next, 0)
		got, _ = read(t, r, i, 1)
		assert.Equal(t, want, got)
	}
	assert.Equal(t, []string{"testdata/stills/meta/info.json: features that are not loaded: observation.far"},
		r.Notices())
	said := records(t, d, "language_events", "language_persistent", "observation.depth")
	for i, want := range []string{`[]`, `[{"role":"user","content":"grab it, 0","style":"interjection","camera":null,` +
		`"tool_calls":["{\"name\": \"say\", \"arguments\": {\"text\": \"\\u00e4h\"}}"]}]`} {
		text, _ := read(t, said, i, 0)
		assert.JSONEq(t, want, string(text))
		text, _ = read(t, said, i, 1)
		assert.JSONEq(t, `[{"role":"assistant","content":"reach","style":"subtask","timestamp":0.1,"camera":null,`+
			`"tool_calls":null}]`, string(text))
		tiff, _ := read(t, said, i, 2)
		assert.Equal(t, "II*\x00", string(tiff[:4]))
	}
	_, err := lerobot.Open(t.Context(), "testdata/stills", lerobot.Options{
		DeltaTimestamps: map[string][]float64{"language_events": {0}}})
	require.ErrorContains(t, err, "no feature with windows has this name")
	_, err = d.Records([]source.Input{{Name: "observation.imag"}})
	require.ErrorIs(t, err, spool.ErrNotFound)
	assert.ErrorContains(t, err, "did you mean observation.image.0?")
	assert.ErrorContains(t, err, filepath.Join("testdata/stills", "meta/info.json"))
}
