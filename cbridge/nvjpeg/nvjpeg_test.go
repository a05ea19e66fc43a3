package nvjpeg_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	cudafake "github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
	"github.com/spoolmedia/spool/cbridge/nvjpeg/fake"
)

// grayJPEG returns a JPEG of one gray level, in memory outside the Go heap.
func grayJPEG(t testing.TB, width, height int, level uint8) []byte {
	t.Helper()
	gray := image.NewGray(image.Rect(0, 0, width, height))
	for i := range gray.Pix {
		gray.Pix[i] = level
	}
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, gray, nil))
	return outside(t, out.Bytes())
}

func outside(t testing.TB, data []byte) []byte {
	t.Helper()
	memory, err := spool.Mmap{}.Alloc(max(len(data), 1))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, spool.Mmap{}.Free(memory)) })
	return memory[:copy(memory, data)]
}

// rig is a codec with a state, and device memory for images of 8x8.
type rig struct {
	driver  *cudafake.Driver
	library *fake.Library
	*cuda.Context
	stream cuda.Stream
	memory cuda.Pointer
	codec  *nvjpeg.Codec
	state  *nvjpeg.State
}

const places, place = 8, 3 * 8 * 8

func newRig(t testing.TB, s fake.Settings, b nvjpeg.Backend) *rig {
	t.Helper()
	r := &rig{driver: cudafake.New(t, cudafake.Settings{DelayMicros: 200})}
	r.library = fake.New(t, r.driver, s)
	driver, err := cuda.Load(r.driver.File)
	require.NoError(t, err)
	r.Context, err = driver.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	r.stream, err = r.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.CloseStream(r.stream)) })
	r.memory, err = r.Alloc(places * place)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Free(r.memory)) })
	l, err := nvjpeg.Load(r.library.File)
	require.NoError(t, err)
	require.NoError(t, r.Within(func() (err error) {
		if r.codec, err = l.Open(b); err == nil {
			r.state, err = r.codec.NewState()
		}
		return err
	}))
	t.Cleanup(func() {
		require.NoError(t, r.Finish(r.stream))
		require.NoError(t, r.Within(func() error {
			for range 2 {
				require.NoError(t, r.state.Close())
				require.NoError(t, r.codec.Close())
			}
			return nil
		}))
	})
	return r
}

func (r *rig) items(images ...[]byte) []nvjpeg.Item {
	var items []nvjpeg.Item
	for i, p := range images {
		items = append(items, nvjpeg.Item{Data: p, To: uint64(r.memory) + uint64(i*place), Pitch: 3 * 8})
	}
	return items
}

func (r *rig) decode(items []nvjpeg.Item) error {
	return r.Within(func() error { return r.state.Decode(items, 1, uintptr(r.stream)) })
}

func (r *rig) pixels(t testing.TB, n int) []byte {
	t.Helper()
	to := outside(t, make([]byte, n*place))
	require.NoError(t, r.ToHost(to, r.memory, r.stream))
	require.NoError(t, r.Finish(r.stream))
	return to
}

// One state decodes batches of any size in turn, each to its own memory.
func TestBatches(t *testing.T) {
	for _, hardware := range []bool{false, true} {
		r := newRig(t, fake.Settings{Hardware: hardware}, nvjpeg.Auto)
		assert.Equal(t, hardware, r.codec.Hardware())
		for _, n := range []int{1, 3, 3, places} {
			var images [][]byte
			var want []byte
			for i := range n {
				level := uint8(30*i + n)
				images = append(images, grayJPEG(t, 8, 8, level))
				want = append(want, bytes.Repeat([]byte{level}, place)...)
			}
			require.NoError(t, r.decode(r.items(images...)))
			assert.Equal(t, want, r.pixels(t, n))
		}
		got := r.library.Counters()
		assert.EqualValues(t, 4, got.Batches)
		assert.EqualValues(t, 7+places, got.Images)
	}
}

func TestInspect(t *testing.T) {
	r := newRig(t, fake.Settings{}, nvjpeg.Shaders)
	inspect := func(data []byte) (taken bool, width, height int, err error) {
		err = r.Within(func() (err error) {
			taken, width, height, err = r.state.Inspect(data)
			return err
		})
		return taken, width, height, err
	}
	taken, width, height, err := inspect(grayJPEG(t, 31, 17, 0))
	require.NoError(t, err)
	assert.True(t, taken)
	assert.Equal(t, [2]int{31, 17}, [2]int{width, height})
	_, _, _, err = inspect(outside(t, []byte("no picture")))
	require.ErrorIs(t, err, nvjpeg.BadJPEG)
	require.ErrorIs(t, err, spool.ErrCorrupt)
	assert.True(t, nvjpeg.BadJPEG.Refusal())
	assert.EqualError(t, err, "inspect: corrupt: nvjpegJpegStreamParseHeader: cannot parse the JPEG stream (libnvjpeg 3)")
}

// One bad image fails its batch, and the state remains usable.
func TestBadImageFailsItsBatch(t *testing.T) {
	r := newRig(t, fake.Settings{}, nvjpeg.Auto)
	good, other := grayJPEG(t, 8, 8, 50), grayJPEG(t, 8, 8, 90)
	err := r.decode(r.items(good, good[:len(good)-4], other))
	require.ErrorIs(t, err, nvjpeg.BadJPEG)
	require.NoError(t, r.Finish(r.stream))
	require.NoError(t, r.decode(r.items(other, good, good)))
	assert.Equal(t, byte(90), r.pixels(t, 3)[0])
}

func TestWhatIsNotThere(t *testing.T) {
	_, err := nvjpeg.Load(filepath.Join(t.TempDir(), "libnvjpeg.so.12"))
	require.ErrorIs(t, err, spool.ErrDevice)
	_, err = nvjpeg.Load("libdl.so.2") // a library, but not nvJPEG
	require.ErrorIs(t, err, spool.ErrDevice)
	assert.ErrorContains(t, err, "no nvjpegGetProperty")
	_, err = nvjpeg.Load("a\x00b")
	require.ErrorIs(t, err, spool.ErrOptions)
	if _, err = nvjpeg.Load(""); err != nil {
		assert.ErrorContains(t, err, "none of libnvjpeg.so.13, libnvjpeg.so.12, libnvjpeg.so.11 (libnvjpeg)")
	}

	r := newRig(t, fake.Settings{Version: [3]int{12, 0, 5}}, nvjpeg.Auto) // a version that refuses newer flags
	l, err := nvjpeg.Load(r.library.File)
	require.NoError(t, err)
	assert.Equal(t, "12.0.5", l.Version())
	require.NoError(t, r.Within(func() error {
		_, err := l.Open(nvjpeg.Hardware)
		require.ErrorIs(t, err, nvjpeg.ArchMismatch)
		require.ErrorIs(t, err, spool.ErrDevice)
		_, err = l.Open(3)
		require.ErrorIs(t, err, spool.ErrOptions)
		return nil
	}))
	for _, bad := range []struct {
		items   []nvjpeg.Item
		threads int
	}{{nil, 1}, {r.items(grayJPEG(t, 8, 8, 1)), 0}} {
		require.ErrorIs(t, r.state.Decode(bad.items, bad.threads, 0), spool.ErrOptions)
	}
}

func TestStatuses(t *testing.T) {
	for s, class := range map[nvjpeg.Status]spool.Class{
		nvjpeg.Incomplete: spool.ErrTruncated, nvjpeg.NotSupported: spool.ErrUnsupported,
		nvjpeg.NotImplemented: spool.ErrUnsupported, nvjpeg.OutOfMemory: spool.ErrDevice, 99: spool.ErrDevice,
	} {
		r := newRig(t, fake.Settings{}, nvjpeg.Auto)
		calls := int(r.library.Counters().Calls)
		require.Positive(t, calls)
		require.NoError(t, r.Within(func() error { return r.state.Close() }))
		require.NoError(t, r.Within(func() error { return r.codec.Close() }))
		r.library.Reset(t, fake.Settings{FailCall: 2, FailStatus: int(s)})
		l, err := nvjpeg.Load(r.library.File)
		require.NoError(t, err)
		require.NoError(t, r.Within(func() error {
			c, err := l.Open(nvjpeg.Shaders)
			require.NoError(t, err)
			defer c.Close()
			_, err = c.NewState()
			require.ErrorIs(t, err, s)
			assert.Equal(t, class, spool.ClassOf(err))
			assert.Equal(t, s == nvjpeg.OutOfMemory, errors.Is(err, spool.ErrOutOfMemory))
			return nil
		}))
	}
}

func TestColours(t *testing.T) {
	r := newRig(t, fake.Settings{Hardware: true}, nvjpeg.Hardware)
	rgb := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		rgb.Set(i%8, i/8, color.RGBA{R: 200, G: 100, B: 50, A: 255})
	}
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, rgb, &jpeg.Options{Quality: 100}))
	require.NoError(t, r.decode(r.items(outside(t, out.Bytes()))))
	got := r.pixels(t, 1)
	for i, want := range []int{200, 100, 50} {
		assert.InDelta(t, want, int(got[i]), 3)
	}
}
