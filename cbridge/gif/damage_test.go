package gif_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color/palette"
	stdgif "image/gif"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/gif"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/stoptest"
)

// A file of one frame that is truncated anywhere delivers the rows before the cut, and no others.
func TestCutFileIsTruncated(t *testing.T) {
	for _, name := range []string{"waves.gif", "noise.gif", "small_blocks.gif", "offset.gif", "interlaced17.gif",
		"full_table.gif"} {
		data := lanetest.Read(t, name)
		whole, _, err := first(t, data, 3)
		require.NoError(t, err)
		last := 0.0
		for n := 6; n < len(data); n += 1 + len(data)/200 {
			h, err := gif.ReadHeader(data[:n])
			if err != nil {
				require.ErrorIs(t, err, spool.ErrTruncated, "%s at %d", name, n)
				continue
			}
			require.True(t, h.Cut || n >= len(data)-1, "%s at %d", name, n)
			p := newTarget(t, h.Width, h.Height, 3)
			c := enter(t)
			report, err := gif.Decode(c, data[:n], p.o)
			c.Leave()
			rows := p.Sink.Rows()
			p.Close()
			if err != nil {
				require.ErrorIs(t, err, spool.ErrTruncated)
				require.Less(t, report.Fraction, 1.0)
			}
			require.GreaterOrEqual(t, report.Fraction, last, "%s at %d", name, n)
			last = report.Fraction
			require.Equal(t, whole[:rows*h.Width*3], p.Pixels[:rows*h.Width*3], "%s at %d", name, n)
			if name == "waves.gif" {
				require.InDelta(t, report.Fraction, float64(rows)/float64(h.Height), 1/float64(h.Height))
			}
		}
		assert.Greater(t, last, 0.9)
	}
}

// edit reads a file of testdata and changes it.
func edit(t *testing.T, name string, change func(data []byte) []byte) []byte {
	t.Helper()
	return change(lanetest.Read(t, name))
}

func TestClasses(t *testing.T) {
	const table = 13 + 3*16 // offset of the first block after the tables
	const descriptor = table + 8
	for _, c := range []struct {
		name string
		data []byte
		want spool.Class
	}{
		{"nothing", nil, spool.ErrEmpty},
		{"another format", []byte("BM123456789012345"), spool.ErrNotMedia},
		{"signature only", []byte("GIF89a"), spool.ErrTruncated},
		{"half a signature", []byte("GIF8"), spool.ErrTruncated},
		{"no frame", edit(t, "transparent.gif", func(d []byte) []byte { return append(d[:table:table], ';') }),
			spool.ErrCorrupt},
		{"no frame, no trailer", edit(t, "transparent.gif", func(d []byte) []byte { return d[:table] }), spool.ErrTruncated},
		{"within the table", edit(t, "transparent.gif", func(d []byte) []byte { return d[:40] }), spool.ErrTruncated},
		{"within an extension", edit(t, "transparent.gif", func(d []byte) []byte { return d[:table+4] }), spool.ErrTruncated},
		{"within the descriptor", edit(t, "transparent.gif", func(d []byte) []byte { return d[:descriptor+5] }),
			spool.ErrTruncated},
		{"no code size", edit(t, "transparent.gif", func(d []byte) []byte { return d[:descriptor+10] }), spool.ErrTruncated},
		{"width 0", edit(t, "transparent.gif", func(d []byte) []byte { d[descriptor+5] = 0; return d }), spool.ErrCorrupt},
		{"codes of 9 bits", edit(t, "transparent.gif", func(d []byte) []byte { d[descriptor+10] = 9; return d }),
			spool.ErrCorrupt},
		{"codes of 0 bits", edit(t, "transparent.gif", func(d []byte) []byte { d[descriptor+10] = 0; return d }),
			spool.ErrCorrupt},
		{"no data", edit(t, "transparent.gif",
			func(d []byte) []byte { return append(d[:descriptor+11:descriptor+11], 0, ';') }), spool.ErrTruncated},
		{"end code at once", edit(t, "transparent.gif", func(d []byte) []byte {
			return append(d[:descriptor+11:descriptor+11], 2, 0x30, 0x02, 0, ';') // clear 16, end 17: 5 bits each
		}), spool.ErrTruncated},
		{"invalid code", edit(t, "transparent.gif", func(d []byte) []byte {
			return append(d[:descriptor+11:descriptor+11], 3, 0x10, 0x7c, 0, 0, ';') // clear 16, 0, 31
		}), spool.ErrCorrupt},
		{"code after clear", edit(t, "transparent.gif", func(d []byte) []byte {
			return append(d[:descriptor+11:descriptor+11], 2, 0x50, 0x02, 0, ';') // clear 16, 18
		}), spool.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := enter(t)
			defer call.Leave()
			h, err := gif.ReadHeader(c.data)
			if err == nil {
				p := newTarget(t, h.Width, h.Height, 3)
				defer p.Close()
				_, err = gif.Decode(call, c.data, p.o)
			}
			require.ErrorIs(t, err, c.want)
			_, err = gif.Open(c.data)
			if err == nil {
				return
			}
			require.ErrorIs(t, err, c.want)
		})
	}
}

// A damaged frame ends an animation. The frames before it are complete.
func TestDamagedFrame(t *testing.T) {
	data := lanetest.Read(t, "animation01.gif")
	want := lanetest.Goldens[golden](t)["animation01.gif"]
	h, err := gif.ReadHeader(data[:len(data)*2/3])
	require.NoError(t, err)
	require.Less(t, h.Frames, len(want.Frames))
	require.True(t, h.Cut)
	animation, err := gif.Open(data[:len(data)*2/3])
	require.NoError(t, err)
	defer animation.Close()
	c := enter(t)
	defer c.Leave()
	for i := range h.Frames - 1 {
		p := newTarget(t, h.Width, h.Height, 3)
		_, err := animation.Next(c, p.o)
		p.Close()
		require.NoError(t, err)
		require.Equal(t, want.Frames[i].RGB, lanetest.Digest(p.Pixels))
	}
	report, err := animation.Next(c, gif.Options{})
	require.ErrorIs(t, err, spool.ErrTruncated)
	require.Less(t, report.Fraction, 1.0)
	_, again := animation.Next(c, gif.Options{})
	require.Equal(t, err, again)
}

// A small file with a huge frame size uses little memory.
func TestLimits(t *testing.T) {
	huge := edit(t, "transparent.gif", func(d []byte) []byte {
		const descriptor = 13 + 3*16 + 8
		binary.LittleEndian.PutUint16(d[descriptor+5:], 65535)
		binary.LittleEndian.PutUint16(d[descriptor+7:], 65535)
		return d
	})
	h, err := gif.ReadHeader(huge)
	require.NoError(t, err)
	require.Equal(t, []int{65535, 65535}, []int{h.Width, h.Height})
	require.Equal(t, int64(65535*65535), h.Memory())
	c := enter(t)
	defer c.Leave()
	animation, err := gif.Open(huge)
	require.NoError(t, err)
	defer animation.Close()
	_, err = animation.Next(c, gif.Options{}) // needs a canvas of 16 GiB
	require.ErrorIs(t, err, spool.ErrTooLarge)

	// Only the second frame is huge. Memory for its indices is bounded by the size of the data.
	small := lanetest.Read(t, "transparent.gif")
	both := slices.Concat(small[:len(small)-1], huge[13+3*16:])
	animation, err = gif.Open(both)
	require.NoError(t, err)
	defer animation.Close()
	_, err = animation.Next(c, gif.Options{MaxMemory: 8 << 20})
	require.NoError(t, err)
	report, err := animation.Next(c, gif.Options{MaxMemory: 8 << 20})
	require.ErrorIs(t, err, spool.ErrTruncated)
	require.Less(t, report.Fraction, 0.001)
}

func TestOptions(t *testing.T) {
	data := lanetest.Read(t, "waves.gif")
	p := newTarget(t, 61, 47, 3)
	defer p.Close()
	c := enter(t)
	defer c.Leave()
	_, err := gif.Decode(c, data, gif.Options{})
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = gif.Decode(c, data, gif.Options{Sink: p.Sink.Pointer(), Channels: 2})
	require.ErrorIs(t, err, spool.ErrOptions)
	assert.ErrorContains(t, err, "2 channels")
	assert.ErrorContains(t, err, "0x0")
	_, err = gif.Decode(c, data, gif.Options{Sink: p.Sink.Pointer(), Width: 47, Height: 61, Channels: 3})
	require.ErrorIs(t, err, spool.ErrShape)
	animation, err := gif.Open(data)
	require.NoError(t, err)
	require.NoError(t, animation.Close())
	require.NoError(t, animation.Close())
	_, err = animation.Next(c, gif.Options{})
	require.ErrorIs(t, err, spool.ErrClosed)
}

func TestStopsSoon(t *testing.T) {
	const width, height = 700, 500
	random := rand.New(rand.NewPCG(3, 4))
	img := image.NewPaletted(image.Rect(0, 0, width, height), palette.Plan9)
	for i := range img.Pix {
		img.Pix[i] = byte(i/width/4 + random.IntN(8))
	}
	var file bytes.Buffer
	require.NoError(t, stdgif.Encode(&file, img, nil))
	stoptest.Soon(t, func(looks int32) error {
		p := newTarget(t, width, height, 3)
		defer p.Close()
		c := enter(t)
		defer c.Leave()
		*(*int32)(c.Flag()) = -looks
		_, err := gif.Decode(c, file.Bytes(), p.o)
		return err
	})
}
