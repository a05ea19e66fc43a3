package avif_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/seed"
)

// first decodes the first frame of what may be no picture.
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

// Wherever a file is cut, no picture comes of it.
func TestCutFileIsRefused(t *testing.T) {
	for _, name := range []string{"420_full.avif", "444a_full.avif", "sequence.avif"} {
		data := read(t, name)
		last := len(data)
		if name == "sequence.avif" {
			last /= 3 // the first frame comes first
		}
		for n := 0; n < last; n += 1 + len(data)/100 {
			err := first(t, data[:n])
			class := spool.ClassOf(err)
			require.Contains(t, []spool.Class{spool.ErrEmpty, spool.ErrNotMedia, spool.ErrTruncated, spool.ErrCorrupt}, class, "%s at %d: %v", name, n, err)
		}
	}
}

func TestClasses(t *testing.T) {
	edit := func(name, box string, offset int, value ...byte) []byte {
		data := read(t, name)
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
		{"text", []byte("no picture at all"), spool.ErrCorrupt},
		{"another brand", edit("420_full.avif", "ftyp", 4, bytes.Repeat([]byte("none"), 7)...), spool.ErrNotMedia},
		{"no pictures", edit("420_full.avif", "av01", 0, []byte("none")...), spool.ErrCorrupt},
		{"too many pixels", edit("420_full.avif", "ispe", 8, 0, 1, 0, 0, 0, 1, 0, 0), spool.ErrTooLarge},
		{"a matrix that is not converted", edit("420_full.avif", "colrnclx", 12, 0, 10), spool.ErrUnsupported},
		{"no AV1 data", edit("420_full.avif", "mdat", 4, bytes.Repeat([]byte{0xff}, 40)...), spool.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) { require.ErrorIs(t, first(t, c.data), c.want) })
	}
}

// A header may promise what it likes: what the AV1 data hold is bounded on its own.
func TestLimits(t *testing.T) {
	data := read(t, "420_full.avif")
	at := bytes.Index(data, []byte("ispe"))
	binary.BigEndian.PutUint32(data[at+8:], 16384)
	binary.BigEndian.PutUint32(data[at+12:], 16384)
	h := open(t, data).Header()
	require.Equal(t, []int{16384, 16384}, []int{h.Width, h.Height})
	require.Greater(t, h.Memory(), int64(16384*16384))

	d := open(t, read(t, "420_full.avif"))
	target := newTarget(t, d.Header(), 0, 150)
	defer target.close()
	target.o.MaxPixels = 33*150 - 1
	require.ErrorIs(t, decode(t, d, 0, target.o), spool.ErrCorrupt)
}

func TestOptions(t *testing.T) {
	d := open(t, read(t, "420_full.avif"))
	target := newTarget(t, d.Header(), 0, 150)
	defer target.close()
	err := decode(t, d, 0, avif.Options{MaxPixels: -1})
	require.ErrorIs(t, err, spool.ErrOptions)
	assert.ErrorContains(t, err, "Sink")
	assert.ErrorContains(t, err, "MaxPixels")
	for _, frame := range []int{-1, 1} {
		require.ErrorIs(t, decode(t, d, frame, target.o), spool.ErrNoSuchFrame)
	}
	target.o.Width++
	require.ErrorIs(t, decode(t, d, 0, target.o), spool.ErrShape)
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	require.ErrorIs(t, decode(t, d, 0, target.o), spool.ErrClosed)
}

func TestCancelled(t *testing.T) {
	d := open(t, read(t, "420_full.avif"))
	target := newTarget(t, d.Header(), 0, 150)
	defer target.close()
	ctx, cancel := context.WithCancel(t.Context())
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	defer c.Leave()
	cancel()
	for c.Err() == nil { // until the flag is set
	}
	err = d.Decode(c, 0, target.o)
	require.ErrorIs(t, err, spool.ErrCanceled)
	require.ErrorIs(t, err, context.Canceled)
}

// A call that is cancelled while it decodes gives the picture or the cancellation, and the decoder is closed then.
func TestCancelAtRandom(t *testing.T) {
	random := seed.Rand(t)
	data := read(t, "420_full.avif")
	want, err := whole(t, open(t, data), 0)
	require.NoError(t, err)
	for round := range 200 {
		d := open(t, data)
		target := newTarget(t, d.Header(), 0, d.Header().Height)
		ctx, cancel := context.WithCancel(t.Context())
		c, err := call.Enter(ctx, 1)
		require.NoError(t, err)
		spins := random.IntN(300)
		go func() {
			for range spins {
				runtime.Gosched()
			}
			cancel()
		}()
		err = d.Decode(c, 0, target.o)
		c.Leave()
		if err == nil {
			require.Equal(t, want, target.pixels, "round %d", round)
		} else {
			require.ErrorIs(t, err, context.Canceled, "round %d", round)
			require.ErrorIs(t, decode(t, d, 0, target.o), spool.ErrClosed)
		}
		target.close()
		require.NoError(t, d.Close())
		cancel()
	}
}

// What is wrong with a file is said by errors, and by nobody else: dav1d would print it.
func TestNothingIsPrinted(t *testing.T) {
	if os.Getenv("AVIF_CHILD") == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestNothingIsPrinted$")
		child.Env = append(os.Environ(), "AVIF_CHILD=1")
		var stderr bytes.Buffer
		child.Stderr = &stderr
		require.NoError(t, child.Run())
		assert.Empty(t, stderr.String())
		return
	}
	data := read(t, "420_full.avif")
	start := bytes.Index(data, []byte("mdat")) + 4
	refused := 0
	for at := start; at < start+40; at++ {
		for _, mask := range []byte{0xff, 0x01, 0x10, 0x80} {
			damaged := bytes.Clone(data)
			damaged[at] ^= mask
			if first(t, damaged) != nil {
				refused++
			}
		}
	}
	assert.Greater(t, refused, 20)
}

// A damaged 150x130 picture that asks for restoration units of 32 chroma samples, at which dav1d 1.0 ended
// the process where it used AVX-512.
func TestSmallRestorationUnits(t *testing.T) {
	if err := first(t, read(t, "restoration_units.avif")); err != nil { // libraries differ in what they forgive
		require.ErrorIs(t, err, spool.ErrCorrupt)
	}
}
