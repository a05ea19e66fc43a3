package nvjpeg_test

import (
	"bytes"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
	"github.com/spoolmedia/spool/internal/need"
)

// photos are the images of testdata that a backend supports, with consecutive destinations on the device.
type photos struct {
	*cuda.Context
	stream cuda.Stream
	memory cuda.Pointer
	codec  *nvjpeg.Codec
	state  *nvjpeg.State
	items  []nvjpeg.Item
	size   int
}

// realPhotos opens the machine's device, or skips the test.
func realPhotos(t testing.TB, b nvjpeg.Backend) *photos {
	t.Helper()
	need.GPU(t)
	l, err := nvjpeg.Load("")
	if err != nil {
		need.Skip(t, need.Device, "%v", err)
	}
	driver, err := cuda.Load("")
	require.NoError(t, err)
	p := new(photos)
	p.Context, err = driver.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Close()) })
	p.stream, err = p.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.CloseStream(p.stream)) })
	var missing error
	require.NoError(t, p.Within(func() (err error) {
		if p.codec, missing = l.Open(b); missing == nil {
			p.state, err = p.codec.NewState()
		}
		return err
	}))
	if missing != nil {
		need.Skip(t, need.Device, "%v", missing)
	}
	t.Cleanup(func() {
		assert.NoError(t, p.Finish(p.stream))
		assert.NoError(t, p.Within(p.state.Close))
		assert.NoError(t, p.Within(p.codec.Close))
	})
	files, err := filepath.Glob("../../testdata/photos/*/*.jpg")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		data = outside(t, data)
		require.NoError(t, p.Within(func() error {
			taken, width, height, err := p.state.Inspect(data)
			if err == nil && taken {
				p.items = append(p.items, nvjpeg.Item{Data: data, To: uint64(p.size), Pitch: 3 * width})
				p.size += (3*width*height + 255) / 256 * 256
			}
			return err
		}))
	}
	require.Greater(t, len(p.items), 10)
	p.memory, err = p.Alloc(p.size)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Free(p.memory)) })
	for i := range p.items {
		p.items[i].To += uint64(p.memory)
	}
	return p
}

func (p *photos) decode() error {
	err := p.Within(func() error { return p.state.Decode(p.items, 1, uintptr(p.stream)) })
	if err == nil {
		err = p.Finish(p.stream)
	}
	return err
}

// A real device returns nearly the pixels of image/jpeg.
func TestRealPhotos(t *testing.T) {
	for name, b := range map[string]nvjpeg.Backend{"hardware": nvjpeg.Hardware, "shaders": nvjpeg.Shaders} {
		t.Run(name, func(t *testing.T) {
			p := realPhotos(t, b)
			for range 2 { // in the same state
				require.NoError(t, p.decode())
			}
			got := outside(t, make([]byte, p.size))
			require.NoError(t, p.ToHost(got, p.memory, p.stream))
			require.NoError(t, p.Finish(p.stream))
			for i, item := range p.items {
				want, err := jpeg.Decode(bytes.NewReader(item.Data))
				require.NoError(t, err)
				at, sum := got[item.To-uint64(p.memory):], 0
				size := want.Bounds().Size()
				for y := range size.Y {
					for x := range size.X {
						r, g, b, _ := want.At(x, y).RGBA()
						for c, v := range []uint32{r, g, b} {
							d := int(v>>8) - int(at[y*item.Pitch+3*x+c])
							sum += max(d, -d)
						}
					}
				}
				assert.Less(t, float64(sum)/float64(3*size.X*size.Y), 3.0, "photo %d", i)
			}
		})
	}
}

func TestRealDamage(t *testing.T) {
	p := realPhotos(t, nvjpeg.Shaders)
	text := outside(t, []byte("no picture"))
	require.NoError(t, p.Within(func() error {
		_, _, _, err := p.state.Inspect(text)
		require.Error(t, err)
		assert.NotEqual(t, spool.Class(""), spool.ClassOf(err))
		return nil
	}))
	require.NoError(t, p.decode(), "the state goes on")
}

// BenchmarkReal reports images per second as img/s.
func BenchmarkReal(b *testing.B) {
	for name, backend := range map[string]nvjpeg.Backend{"hardware": nvjpeg.Hardware, "shaders": nvjpeg.Shaders} {
		b.Run(name, func(b *testing.B) {
			p := realPhotos(b, backend)
			require.NoError(b, p.decode())
			for b.Loop() {
				require.NoError(b, p.decode())
			}
			b.ReportMetric(float64(b.N*len(p.items))/b.Elapsed().Seconds(), "img/s")
		})
	}
}
