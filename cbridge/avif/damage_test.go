package avif_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// first decodes the first frame, if data can be opened.
func first(t testing.TB, data []byte) error {
	t.Helper()
	d, err := avif.Open(data)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = whole(t, d, 0)
	return err
}

func TestClasses(t *testing.T) {
	edit := func(name, box string, offset int, value ...byte) []byte {
		data := lanetest.Read(t, name)
		at := bytes.Index(data, []byte(box))
		require.Positive(t, at)
		copy(data[at+offset:], value)
		return data
	}
	for _, c := range []struct {
		name string
		data []byte
		want spool.Class
	}{
		{"nothing", nil, spool.ErrEmpty},
		{"text", []byte("not an image at all"), spool.ErrCorrupt},
		{"another brand", edit("420_full.avif", "ftyp", 4, bytes.Repeat([]byte("none"), 7)...), spool.ErrNotMedia},
		{"no images", edit("420_full.avif", "av01", 0, []byte("none")...), spool.ErrCorrupt},
		{"too many pixels", edit("420_full.avif", "ispe", 8, 0, 1, 0, 0, 0, 1, 0, 0), spool.ErrTooLarge},
		{"an unsupported matrix", edit("420_full.avif", "colrnclx", 12, 0, 10), spool.ErrUnsupported},
		{"no AV1 data", edit("420_full.avif", "mdat", 4, bytes.Repeat([]byte{0xff}, 40)...), spool.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) { require.ErrorIs(t, first(t, c.data), c.want) })
	}
}

// The header can have any size: the AV1 data have a limit of their own.
func TestLimits(t *testing.T) {
	data := lanetest.Read(t, "420_full.avif")
	at := bytes.Index(data, []byte("ispe"))
	binary.BigEndian.PutUint32(data[at+8:], 16384)
	binary.BigEndian.PutUint32(data[at+12:], 16384)
	h := open(t, data).Header()
	require.Equal(t, []int{16384, 16384}, []int{h.Width, h.Height})
	require.Greater(t, h.Memory(), int64(16384*16384))

	d := open(t, lanetest.Read(t, "420_full.avif"))
	target, o := newTarget(t, d.Header(), 0, 150)
	defer target.Close()
	o.MaxPixels = 33*150 - 1
	require.ErrorIs(t, decode(t, d, 0, o), spool.ErrCorrupt)
}

func TestOptions(t *testing.T) {
	d := open(t, lanetest.Read(t, "420_full.avif"))
	target, o := newTarget(t, d.Header(), 0, 150)
	defer target.Close()
	err := decode(t, d, 0, avif.Options{MaxPixels: -1})
	require.ErrorIs(t, err, spool.ErrOptions)
	assert.ErrorContains(t, err, "Sink")
	assert.ErrorContains(t, err, "MaxPixels")
	for _, frame := range []int{-1, 1} {
		require.ErrorIs(t, decode(t, d, frame, o), spool.ErrNoSuchFrame)
	}
	o.Width++
	require.ErrorIs(t, decode(t, d, 0, o), spool.ErrShape)
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	require.ErrorIs(t, decode(t, d, 0, o), spool.ErrClosed)
}

// Problems of a file are returned as errors. dav1d prints nothing to stderr.
func TestNothingIsPrinted(t *testing.T) {
	lanetest.Silent(t, func() {
		data := lanetest.Read(t, "420_full.avif")
		refused := lanetest.Damaged(data, bytes.Index(data, []byte("mdat"))+4, 40,
			func(damaged []byte) bool { return first(t, damaged) != nil })
		assert.Greater(t, refused, 20)
	})
}

// A damaged image of 150x130 with restoration units of 32 chroma samples. dav1d 1.0 crashed on it with AVX-512.
func TestSmallRestorationUnits(t *testing.T) {
	if err := first(t, lanetest.Read(t, "restoration_units.avif")); err != nil { // some library versions accept it
		require.ErrorIs(t, err, spool.ErrCorrupt)
	}
}
