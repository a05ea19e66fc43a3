package vips_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/tiff"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

func TestMain(m *testing.M) {
	leaktest.Main(m,
		leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "bytes of libvips memory", Now: vips.InUse},
	)
}

func TestVersion(t *testing.T) {
	assert.Regexp(t, `^8\.\d+\.\d+`, vips.Version())
	for f := vips.TIFF; f <= vips.Magick; f++ {
		assert.True(t, vips.Reads(f), "%v", f)
	}
	assert.False(t, vips.Reads(vips.Magick+1))
}

func TestLane(t *testing.T) {
	all := images(t)
	maps.DeleteFunc(all, func(_ string, g golden) bool { return g.RGB == "" })
	lanetest.Run(t, lanetest.Lane{
		Open: func(t testing.TB, name string, data []byte) (lanetest.Image, error) {
			h, err := lanetest.Within(t, 0, func(c *call.Call) (vips.Header, error) {
				return vips.ReadHeader(c, extensions[all[name].Format], data, 0)
			})
			forms := []lanetest.Form{{Channels: 3}, {Channels: 4}}
			return lanetest.Image{Width: h.Width, Height: h.Height, Forms: forms,
				Decode: func(c *call.Call, o lanetest.Options) (int, error) {
					report, err := vips.Decode(c, data, h, vips.Options{Channels: o.Form.Channels, Sink: o.Sink})
					return report.Rows, err
				}}, err
		},
		Steps:  5,
		Files:  slices.Sorted(maps.Keys(all)),
		Cancel: lanetest.Cancel{Whole: true, Files: []string{"rgb8.tif"}, Rounds: 100},
	})
}

// A sink receives the same rows as memory.
func TestSink(t *testing.T) {
	c := enter(t)
	for name, want := range images(t) {
		if want.RGB == "" {
			continue
		}
		for _, channels := range []int{3, 4} {
			data := lanetest.Read(t, name)
			h, pixels, err := decode(c, extensions[want.Format], data, 0, channels)
			require.NoError(t, err)
			to := lanetest.NewTarget(t, h.Width, h.Height, lanetest.Form{Channels: channels}, lanetest.All(h.Width, h.Height))
			_, err = vips.Decode(c, data, h, vips.Options{Channels: channels, Sink: to.Sink.Pointer()})
			to.Close()
			require.NoError(t, err, name)
			assert.True(t, bytes.Equal(pixels, to.Pixels), "%s in %d channels", name, channels)
		}
	}
}

func TestStride(t *testing.T) {
	c, data := enter(t), lanetest.Read(t, "rgb8.tif")
	h, packed, err := decode(c, vips.TIFF, data, 0, 3)
	require.NoError(t, err)
	row := h.Width * 3
	stride := row + 5
	pixels := bytes.Repeat([]byte{0xEE}, (h.Height-1)*stride+row)
	_, err = vips.Decode(c, data, h, vips.Options{Pixels: pixels, Stride: stride})
	require.NoError(t, err)
	for y := range h.Height {
		assert.Equal(t, packed[y*row:(y+1)*row], pixels[y*stride:y*stride+row])
		if y < h.Height-1 {
			assert.Equal(t, []byte{0xEE, 0xEE, 0xEE, 0xEE, 0xEE}, pixels[y*stride+row:(y+1)*stride], "written beyond the row")
		}
	}
}

func TestWrongUse(t *testing.T) {
	c, data := enter(t), lanetest.Read(t, "rgb8.tif")
	h, err := vips.ReadHeader(c, vips.TIFF, data, 0)
	require.NoError(t, err)
	whole := make([]byte, h.Width*h.Height*4)
	var anything byte
	for name, o := range map[string]vips.Options{
		"nowhere to go":      {},
		"two ways":           {Pixels: whole, Sink: ptr(&anything)},
		"too short":          {Pixels: whole[:h.Width*h.Height*3-1]},
		"short stride":       {Pixels: whole, Stride: h.Width*3 - 1},
		"2 channels":         {Pixels: whole, Channels: 2},
		"5 channels":         {Pixels: whole, Channels: 5},
		"gray of a colour":   {Pixels: whole, Channels: 1},
		"negative and empty": {Channels: -1},
	} {
		_, err := vips.Decode(c, data, h, o)
		assert.ErrorIs(t, err, spool.ErrOptions, name)
	}
	_, err = vips.Decode(c, data, h, vips.Options{Channels: 7})
	assert.ErrorContains(t, err, "7 channels")
	assert.ErrorContains(t, err, "Sink and Pixels", "all problems at once")
	_, err = vips.Decode(c, data, vips.Header{}, vips.Options{Pixels: whole})
	assert.ErrorIs(t, err, spool.ErrOptions)

	for _, other := range []vips.Header{
		{Format: vips.TIFF, Width: h.Width - 1, Height: h.Height, Color: vips.RGB, Pages: 1},
		{Format: vips.TIFF, Width: h.Width, Height: h.Height - 1, Color: vips.RGB, Pages: 1},
	} {
		_, err = vips.Decode(c, data, other, vips.Options{Pixels: whole})
		assert.ErrorIs(t, err, spool.ErrCorrupt, "the header of another image")
	}
	gray := h
	gray.Color = vips.Gray
	_, err = vips.Decode(c, data, gray, vips.Options{Pixels: whole, Channels: 1})
	assert.ErrorIs(t, err, spool.ErrCorrupt)
}

func TestNoBytes(t *testing.T) {
	_, err := vips.ReadHeader(enter(t), vips.TIFF, nil, 0)
	assert.ErrorIs(t, err, spool.ErrEmpty)
}

func TestUnknownFormat(t *testing.T) {
	_, err := vips.ReadHeader(enter(t), vips.Magick+1, []byte("bytes"), 0)
	assert.ErrorIs(t, err, spool.ErrUnsupported)
}

func TestNoSuchPage(t *testing.T) {
	c := enter(t)
	for _, name := range []string{"pages.tif", "rgb8.tif", "rgb8.jxl"} {
		want := images(t)[name]
		for _, page := range []int{-1, want.Pages, 1 << 30} {
			_, err := vips.ReadHeader(c, extensions[want.Format], lanetest.Read(t, name), page)
			assert.ErrorIs(t, err, spool.ErrNoSuchFrame, "%s, page %d", name, page)
			assert.ErrorContains(t, err, fmt.Sprint(want.Pages))
		}
	}
}

func TestLimits(t *testing.T) {
	c := enter(t)
	for name, want := range images(t) {
		if want.RGB == "" {
			continue
		}
		data := lanetest.Read(t, name)
		h, err := vips.ReadHeader(c, extensions[want.Format], data, 0)
		require.NoError(t, err)
		area, need := int64(h.Width*h.Height), h.Memory()
		pixels := make([]byte, area*3)
		_, err = vips.Decode(c, data, h, vips.Options{Pixels: pixels, MaxPixels: area, MaxMemory: need})
		assert.NoError(t, err, name)
		_, err = vips.Decode(c, data, h, vips.Options{Pixels: pixels, MaxPixels: area - 1})
		assert.ErrorIs(t, err, spool.ErrTooLarge, name)
		_, err = vips.Decode(c, data, h, vips.Options{Pixels: pixels, MaxMemory: need - 1})
		assert.ErrorIs(t, err, spool.ErrTooLarge, name)
	}
}

// A header may claim any size: reading it costs nothing.
func TestBombsHeader(t *testing.T) {
	data := lanetest.Read(t, "rgb8.one-strip.tif")
	directory := data[binary.LittleEndian.Uint32(data[4:]):]
	for entry := directory[2:]; len(entry) >= 12; entry = entry[12:] {
		switch binary.LittleEndian.Uint16(entry) {
		case 256, 257, 278: // width, height, rows of a strip
			binary.LittleEndian.PutUint32(entry[8:], 60000)
		}
	}
	h, err := vips.ReadHeader(enter(t), vips.TIFF, data, 0)
	require.NoError(t, err)
	assert.Equal(t, [2]int{60000, 60000}, [2]int{h.Width, h.Height})
	assert.Zero(t, vips.InUse())
	var anything byte // is not accessed
	_, err = vips.Decode(enter(t), data, h, vips.Options{Sink: ptr(&anything), MaxPixels: 1e9})
	assert.ErrorIs(t, err, spool.ErrTooLarge)
}

// Bytes of one format never reach the loader of another, and those of blocked formats reach none.
func TestForeignBytes(t *testing.T) {
	foreign := map[string][]byte{
		"svg":  []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>`),
		"pdf":  []byte("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>"),
		"ppm":  []byte("P6\n2 2\n255\n123456789012"),
		"hdr":  []byte("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\x01\x02\x03\x80"),
		"exr":  []byte("\x76\x2f\x31\x01\x02\x00\x00\x00"),
		"bmp":  append([]byte("BM\x3a\x00\x00\x00"), make([]byte, 60)...),
		"text": []byte("not an image at all, but a text of some length"),
		"one":  {0},
	}
	c, all := enter(t), images(t)
	for _, name := range []string{"rgb8.tif", "rgb8.jxl"} {
		foreign[name] = lanetest.Read(t, name)
	}
	for name, data := range foreign {
		for f := vips.TIFF; f <= vips.JXL; f++ {
			if own, ok := all[name]; ok && extensions[own.Format] == f {
				continue
			}
			_, err := vips.ReadHeader(c, f, data, 0)
			assert.ErrorIs(t, err, spool.ErrCorrupt, "%s as %v", name, f)
		}
	}
}

func TestCancelled(t *testing.T) {
	data := lanetest.Read(t, "rgb8.tif")
	h, err := vips.ReadHeader(enter(t), vips.TIFF, data, 0)
	require.NoError(t, err)
	c := lanetest.Ended(t, false)
	_, err = vips.ReadHeader(c, vips.TIFF, data, 0)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = vips.Decode(c, data, h, vips.Options{Pixels: make([]byte, h.Width*h.Height*3)})
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

// noise returns a TIFF that takes a few milliseconds to decode.
func noise(t testing.TB, size int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(random.Uint32())
	}
	img.SetNRGBA(0, 0, color.NRGBA{1, 2, 3, 4})
	var file bytes.Buffer
	require.NoError(t, tiff.Encode(&file, img, &tiff.Options{Compression: tiff.Deflate, Predictor: true}))
	return file.Bytes()
}

// A decode can be canceled between two strips: it has delivered some rows but not all.
func TestCancelAnytime(t *testing.T) {
	leaktest.Check(t, leaktest.Count{Name: "bytes of libvips memory", Now: vips.InUse})
	data := noise(t, 700)
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	h, whole, err := decode(c, vips.TIFF, data, 0, 4)
	require.NoError(t, err)
	usual := time.Hour // the minimum of several, because the machine may be busy for a while
	for range 5 {
		start := time.Now()
		_, _, err = decode(c, vips.TIFF, data, 0, 4)
		require.NoError(t, err)
		usual = min(usual, time.Since(start))
	}
	c.Leave() // a machine with one CPU allows few concurrent calls
	random := seed.Rand(t)
	var between int
	rounds := short.Of(200, 60)
	for round := 0; round < rounds || between == 0; round++ { // hangs if a decode cannot be interrupted between two rows
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.Int64N(int64(2*usual))))
		c, err := call.Enter(ctx, 1)
		if err != nil {
			cancel()
			continue
		}
		pixels := make([]byte, len(whole))
		report, err := vips.Decode(c, data, h, vips.Options{Channels: 4, Pixels: pixels})
		c.Leave()
		cancel()
		if err == nil {
			require.True(t, bytes.Equal(whole, pixels))
			continue
		}
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, spool.ErrTimeout)
		require.Less(t, report.Rows, h.Height)
		if report.Rows > 0 {
			between++
			require.True(t, bytes.Equal(whole[:report.Rows*h.Width*4], pixels[:report.Rows*h.Width*4]))
		}
	}
}

// Thousands of decodes on many threads leak nothing, neither in libvips' own count nor in the process.
func TestMemoryStaysFlat(t *testing.T) {
	all := images(t)
	names := slices.Sorted(maps.Keys(all))
	files := map[string][]byte{}
	for _, name := range names {
		files[name] = lanetest.Read(t, name)
	}
	round := func(decodes int) {
		var wg sync.WaitGroup
		for g := range 32 {
			wg.Go(func() {
				for i := range decodes / 32 {
					name := names[(g*7+i)%len(names)]
					data := files[name]
					if i%5 == 4 {
						data = data[:len(data)*2/3]
					}
					c, err := call.Enter(t.Context(), 1)
					if !assert.NoError(t, err) {
						return
					}
					_, _, _ = decode(c, extensions[all[name].Format], data, 0, 3)
					c.Leave()
				}
			})
		}
		wg.Wait()
	}
	if freedMemoryStays {
		round(4000)
	} else {
		leaktest.Flat(t, 2<<20, func() { round(4000) })
	}
	assert.Zero(t, vips.InUse())
}

func Example() {
	data := lanetest.Must(os.ReadFile("testdata/rgb8.tiled.tif"))
	c := lanetest.Must(call.Enter(context.Background(), 1))
	defer c.Leave()
	h := lanetest.Must(vips.ReadHeader(c, vips.TIFF, data, 0))
	pixels := make([]byte, h.Width*h.Height*3)
	report := lanetest.Must(vips.Decode(c, data, h, vips.Options{Pixels: pixels, MaxPixels: 1e6}))
	fmt.Println(h.Width, h.Height, h.Channels(), report.Rows)
	// Output: 31 23 3 23
}
