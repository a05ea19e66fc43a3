package fake_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	cudafake "github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
	"github.com/spoolmedia/spool/cbridge/nvjpeg/fake"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// Each misuse is recorded as a violation, and correct use is not.
func TestViolations(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong string // part of the violation's text, "" for none
		do    func(t *testing.T, r *rig)
	}{
		{"one batch after the other", "", func(t *testing.T, r *rig) {
			require.NoError(t, r.decode())
			require.NoError(t, r.Finish(r.stream))
			require.NoError(t, r.decode())
		}},
		{"a batch in a state that is busy", "of a state with images in flight", func(t *testing.T, r *rig) {
			r.driver.Hold(0)
			require.NoError(t, r.decode())
			require.NoError(t, r.decode())
		}},
		{"bytes that change", "bytes changed", func(t *testing.T, r *rig) {
			r.driver.Hold(0)
			require.NoError(t, r.decode())
			r.data[len(r.data)-1]++
		}},
		{"no context", "without a context", func(t *testing.T, r *rig) {
			require.Error(t, r.state.Decode(r.items(), 1, uintptr(r.stream)))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			c.do(t, r)
			r.driver.Go()
			require.NoError(t, r.Finish(r.stream))
			got := r.library.Counters()
			if c.wrong == "" {
				assert.Zero(t, got.Violations, got.Violation)
			} else {
				assert.Positive(t, got.Violations)
				assert.Contains(t, got.Violation, c.wrong)
			}
			r.close(t)
			r.library.Reset(t, fake.Settings{})
		})
	}
}

// Reading pixels without waiting for them is a violation that the driver records.
func TestPixelsAreInOrder(t *testing.T) {
	r := newRig(t)
	other, err := r.NewStream()
	require.NoError(t, err)
	to, err := spool.Mmap{}.Alloc(place)
	require.NoError(t, err)
	require.NoError(t, r.decode())
	require.NoError(t, r.ToHost(to, r.memory, other))
	require.NoError(t, r.Finish(other))
	require.NoError(t, r.CloseStream(other))
	require.NoError(t, r.Finish(r.stream))
	assert.Contains(t, r.driver.Counters().Violation, "not ordered behind nvJPEG")
	r.close(t)
	r.driver.Reset(t, cudafake.Settings{})
	require.NoError(t, spool.Mmap{}.Free(to))
}

const place = 3 * 8 * 8

// rig is a state, an image, and device memory for its pixels.
type rig struct {
	driver  *cudafake.Driver
	library *fake.Library
	*cuda.Context
	codec  *nvjpeg.Codec
	state  *nvjpeg.State
	stream cuda.Stream
	memory cuda.Pointer
	data   []byte
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{driver: cudafake.New(t, cudafake.Settings{})}
	r.library = fake.New(t, r.driver, fake.Settings{})
	driver, err := cuda.Load(r.driver.File)
	require.NoError(t, err)
	r.Context, err = driver.Open(0)
	require.NoError(t, err)
	r.stream, err = r.NewStream()
	require.NoError(t, err)
	r.memory, err = r.Alloc(place)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, 8, 8)), nil))
	r.data, err = spool.Mmap{}.Alloc(out.Len())
	require.NoError(t, err)
	copy(r.data, out.Bytes())
	l, err := nvjpeg.Load(r.library.File)
	require.NoError(t, err)
	require.NoError(t, r.Within(func() (err error) {
		if r.codec, err = l.Open(nvjpeg.Auto); err == nil {
			r.state, err = r.codec.NewState()
		}
		return err
	}))
	return r
}

func (r *rig) items() []nvjpeg.Item {
	return []nvjpeg.Item{{Data: r.data, To: uint64(r.memory), Pitch: 3 * 8}}
}

func (r *rig) decode() error {
	return r.Within(func() error { return r.state.Decode(r.items(), 1, uintptr(r.stream)) })
}

func (r *rig) close(t *testing.T) {
	t.Helper()
	require.NoError(t, r.Within(r.state.Close))
	require.NoError(t, r.Within(r.codec.Close))
	require.NoError(t, r.CloseStream(r.stream))
	require.NoError(t, r.Free(r.memory))
	require.NoError(t, r.Close())
	require.NoError(t, spool.Mmap{}.Free(r.data))
}

// A library on top of a driver, both without a testing.TB.
func Example() {
	folder, err := os.MkdirTemp("", "fake")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	driver, err := cudafake.Load(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := fake.Load(folder, driver)
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := nvjpeg.Load(f.File)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Version())
	// Output: 0.0.0
}
