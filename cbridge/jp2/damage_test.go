package jp2_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jp2"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/stoptest"
)

// edit overwrites bytes at an offset from a marker.
func edit(t *testing.T, name, mark string, offset int, value ...byte) []byte {
	t.Helper()
	data := lanetest.Read(t, name)
	at := bytes.Index(data, []byte(mark))
	require.GreaterOrEqual(t, at, 0)
	copy(data[at+offset:], value)
	return data
}

const sizeMark = "\xff\x4f\xff\x51" // followed by 2 bytes each of length and capabilities, and 4 of each number

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		want spool.Class
	}{
		{"nothing", nil, spool.ErrEmpty},
		{"text", []byte("no picture at all"), spool.ErrNotMedia},
		{"a signature only", []byte("\x00\x00\x00\x0cjP  "), spool.ErrTruncated},
		{"no codestream", edit(t, "rgb.jp2", "jp2c", 0, []byte("none")...), spool.ErrTruncated},
		{"no header box", edit(t, "rgb.jp2", "jp2h", 0, []byte("none")...), spool.ErrCorrupt},
		{"no image header", edit(t, "rgb.jp2", "ihdr", 0, []byte("none")...), spool.ErrCorrupt},
		{"another size in the box", edit(t, "rgb.jp2", "ihdr", 7, 35), spool.ErrCorrupt},
		{"a box without end", edit(t, "rgb.jp2", "ihdr", -4, 0, 0, 0, 7), spool.ErrCorrupt},
		{"gray of one component as sRGB", edit(t, "gray.jp2", "colr", 10, 16), spool.ErrUnsupported},
		{"subsampled gray", edit(t, "gray.jp2", sizeMark, 43, 2, 2), spool.ErrUnsupported},
		{"five components", edit(t, "rgb.j2k", sizeMark, 2, 0xff, 0x51, 0, 53, 0, 0, 0, 0, 0, 45, 0, 0, 0, 34, 0, 0, 0, 0, 0,
			0, 0, 0,
			0, 0, 0, 45, 0, 0, 0, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5), spool.ErrUnsupported},
		{"samples of 38 bits", edit(t, "gray.jp2", sizeMark, 42, 37), spool.ErrUnsupported},
		{"no distance of samples", edit(t, "gray.jp2", sizeMark, 43, 0), spool.ErrCorrupt},
		{"an empty image", edit(t, "gray.j2k", sizeMark, 8, 0, 0, 0, 0), spool.ErrCorrupt},
		{"an empty tile", edit(t, "gray.j2k", sizeMark, 24, 0, 0, 0, 0), spool.ErrCorrupt},
		{"a palette of 9 bits", edit(t, "palette.jp2", "pclr", 7, 8), spool.ErrUnsupported},
		{"a palette that is cut", edit(t, "palette.jp2", "pclr", 4, 2), spool.ErrCorrupt},
		{"code-blocks of two parts", edit(t, "gray.jp2", "\xff\x52", 12, 0xc0), spool.ErrUnsupported},
		{"no layers", edit(t, "gray.jp2", "\xff\x52", 6, 0, 0), spool.ErrCorrupt},
		{"a tile that is not there", edit(t, "tiles.jp2", "\xff\x90\x00\x0a\x00\x05", 5, 4), spool.ErrCorrupt},
		{"a tile-part beyond the end", edit(t, "gray.jp2", "\xff\x90", 6, 0, 1), spool.ErrTruncated},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := whole(t, c.data, 3)
			require.ErrorIs(t, err, c.want)
		})
	}
}

// With Partial, the rows of tiles above the damage are delivered.
func TestPartial(t *testing.T) {
	all, err := whole(t, lanetest.Read(t, "tiles.jp2"), 3)
	require.NoError(t, err)
	data := lanetest.Read(t, "tiles.jp2")
	third := bytes.Index(data, []byte("\xff\x90\x00\x0a\x00\x06")) // the first tile of the third row
	for name, damaged := range map[string][]byte{"cut": data[:third+40],
		"missing": bytes.ReplaceAll(data, []byte("\xff\x90\x00\x0a\x00\x06"), []byte("\xff\x90\x00\x0a\x00\x07"))} {
		h := header(t, damaged)
		to := newTarget(t, h, lanetest.All(h.Width, h.Height), 3, false)
		report, err := decode(t, h, to.o)
		require.Error(t, err, name)
		assert.Zero(t, report.Rows, name)
		to.Close()
		to = newTarget(t, h, lanetest.All(h.Width, h.Height), 3, false)
		to.o.Partial = true
		report, err = decode(t, h, to.o)
		require.Error(t, err, name)
		require.Equal(t, 32, report.Rows, name)
		to.Close()
		require.Equal(t, all[:32*h.Width*3], to.Pixels[:32*h.Width*3], name)
	}
}

// Tiles may be stored in any order.
func TestTilesInAnyOrder(t *testing.T) {
	data := lanetest.Read(t, "tiles.jp2")
	all, err := whole(t, data, 3)
	require.NoError(t, err)
	start := bytes.Index(data, []byte("\xff\x90\x00\x0a"))
	var turned []byte
	for at := start; data[at+1] == 0x90; {
		n := int(binary.BigEndian.Uint32(data[at+6:]))
		turned = append(bytes.Clone(data[at:at+n]), turned...)
		at += n
	}
	copy(data[start:], turned)
	got, err := whole(t, data, 3)
	require.NoError(t, err)
	assert.Equal(t, all, got)
}

func TestOptions(t *testing.T) {
	h := header(t, lanetest.Read(t, "rgb.jp2"))
	_, err := decode(t, h, jp2.Options{Channels: 2, Inks: true, MaxMemory: -1})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, word := range []string{"Sink", "channels", "inks", "MaxMemory"} {
		assert.ErrorContains(t, err, word)
	}
	_, err = decode(t, jp2.Header{}, jp2.Options{Channels: 3})
	require.ErrorIs(t, err, spool.ErrOptions)
	to := newTarget(t, h, lanetest.All(h.Width, h.Height), 3, false)
	defer to.Close()
	to.o.MaxMemory = h.Memory() - 1
	_, err = decode(t, h, to.o)
	require.ErrorIs(t, err, spool.ErrTooLarge)
}

func TestLargeTileIsCancelled(t *testing.T) {
	h, c := header(t, lanetest.Read(t, "large.jp2")), lanetest.Ended(t, false)
	to := newTarget(t, h, lanetest.All(h.Width, h.Height), 3, false)
	defer to.Close()
	report, err := jp2.Decode(c, h, to.o)
	require.ErrorIs(t, err, spool.ErrCanceled)
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, report.Rows)
}

// A tile is abandoned between two bands, and the first band between two steps.
func TestStopsSoon(t *testing.T) {
	for _, name := range []string{"noisy.jp2", "large.jp2"} {
		h := header(t, lanetest.Read(t, name))
		t.Run(name, func(t *testing.T) {
			stoptest.Soon(t, func(looks int32) error {
				to := newTarget(t, h, lanetest.All(h.Width, h.Height), 3, false)
				defer to.Close()
				_, err := lanetest.Within(t, looks,
					func(c *call.Call) (jp2.Report, error) { return jp2.Decode(c, h, to.o) })
				return err
			})
		})
	}
}

// Errors name the fault, and the library prints nothing.
func TestNothingIsPrinted(t *testing.T) {
	lanetest.Silent(t, func() {
		data := lanetest.Read(t, "gray.jp2")
		refused := lanetest.Damaged(data, bytes.Index(data, []byte(sizeMark)), 100, func(damaged []byte) bool {
			h, err := jp2.ReadHeader(damaged)
			if err != nil || h.Memory() > 64<<20 {
				return true
			}
			_, err = whole(t, damaged, 3)
			return err != nil
		})
		assert.Greater(t, refused, 20)
	})
}
