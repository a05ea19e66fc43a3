package webp_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// least is an Accept that takes any part of an image.
const least = 1e-9

// requireClass fails on errors that no input may cause.
func requireClass(t testing.TB, err error) {
	t.Helper()
	classes := []spool.Class{spool.ErrEmpty, spool.ErrNotMedia, spool.ErrTruncated, spool.ErrCorrupt, spool.ErrUnsupported,
		spool.ErrTooLarge, spool.ErrNoSuchFrame}
	if !slices.Contains(classes, spool.ClassOf(err)) {
		t.Fatalf("unexpected error: %v", err)
	}
}

// A file that is cut at any byte is truncated, and its rows equal those of the whole image.
func TestCuts(t *testing.T) {
	for name := range stills(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := lanetest.Read(t, name)
			all := header(t, data)
			whole, _, err := decode(t, data, webp.Options{})
			require.NoError(t, err)
			rows, step := 0, max(1, len(data)/700)
			for n := 0; n < len(data); n += step {
				h, err := webp.ReadHeader(data[:n])
				if err != nil {
					class := spool.ErrTruncated
					if n == 0 {
						class = spool.ErrEmpty
					}
					require.ErrorIs(t, err, class, "cut to %d bytes", n)
					require.Less(t, n, 1200, "a header is shorter")
					continue
				}
				require.Equal(t, []int{all.Width, all.Height}, []int{h.Width, h.Height})
				_, refused, err := decodeRows(t, data[:n], h, 0, h.Height, webp.Options{})
				require.ErrorIs(t, err, spool.ErrTruncated, "cut to %d bytes", n)
				require.False(t, refused.Damaged)

				pixels, report, err := decodeRows(t, data[:n], h, 0, h.Height, webp.Options{Accept: least})
				require.Equal(t, refused.Fraction, report.Fraction)
				require.GreaterOrEqual(t, report.Rows, rows, "cut to %d bytes", n)
				rows = report.Rows
				if err != nil {
					require.ErrorIs(t, err, spool.ErrTruncated)
					require.Zero(t, report.Fraction)
					continue
				}
				require.True(t, report.Damaged)
				require.NotEmpty(t, report.Warning)
				require.GreaterOrEqual(t, report.Fraction, float64(rows)/float64(h.Height))
				final := rows
				if rows < h.Height && !h.Lossless {
					final = max(rows-1, 0) // the last row waits for the chroma below it
				}
				require.Equal(t, lanetest.Digest(whole[:final*h.Width*3]), lanetest.Digest(pixels[:final*h.Width*3]),
					"cut to %d bytes", n)
				if 0 < final && final < h.Height-2 { // the missing rows below are not wanted
					_, window, err := decodeRows(t, data[:n], h, 0, final, webp.Options{})
					require.NoError(t, err, "cut to %d bytes, %d rows", n, final)
					require.Equal(t, 1.0, window.Fraction)
				}
			}
		})
	}
}

// A file with the declared size, but with an incomplete image, is corrupt.
func TestImagesThatEndBeforeTheirSize(t *testing.T) {
	for _, name := range []string{"lossy.webp", "partitions.webp", "lossless.webp", "large.webp"} {
		data := lanetest.Read(t, name)
		cut := slices.Clone(data[:len(data)*3/4&^1])
		binary.LittleEndian.PutUint32(cut[4:], uint32(len(cut)-8))
		binary.LittleEndian.PutUint32(cut[16:], uint32(len(cut)-20))
		h := header(t, cut)
		_, report, err := decodeRows(t, cut, h, 0, h.Height, webp.Options{})
		assert.ErrorIs(t, err, spool.ErrCorrupt, name)
		assert.Less(t, report.Fraction, 1.0, name)
	}
}

func TestBytesThatAreNoWebP(t *testing.T) {
	for class, texts := range map[spool.Class][]string{
		spool.ErrEmpty: {""},
		spool.ErrNotMedia: {"x", "GIF89a", "RIFX....WEBP", "RIFF....WAVEfmt ",
			"a text that is long enough for a header of any kind"},
		spool.ErrTruncated: {"R", "RIFF", "RIFF\x40\x00\x00\x00WE", "RIFF\x40\x00\x00\x00WEBPVP8"},
		spool.ErrCorrupt:   {"RIFF\x04\x00\x00\x00WEBPVP8 \x04\x00\x00\x00aaaaaaaaaaaaaaaaaaaa"},
	} {
		for _, text := range texts {
			_, err := webp.ReadHeader([]byte(text))
			assert.ErrorIs(t, err, class, "%q", text)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, name := range []string{"lossy.webp", "lossless.webp", "alpha.webp"} {
		data := lanetest.Read(t, name)
		h := header(t, data)
		_, _, err := decodeRows(t, data, h, 0, h.Height, webp.Options{MaxMemory: h.Memory() - 1})
		assert.ErrorIs(t, err, spool.ErrTooLarge, name)
		_, _, err = decodeRows(t, data, h, 0, h.Height, webp.Options{MaxMemory: h.Memory()})
		assert.NoError(t, err, name)
	}
	// A header with the largest size is refused before anything is allocated.
	huge := slices.Clone(lanetest.Read(t, "lossless.webp"))
	binary.LittleEndian.PutUint32(huge[21:], 16383|16383<<14)
	h := header(t, huge)
	assert.Equal(t, []int{16384, 16384}, []int{h.Width, h.Height})
	var byteOfMemory byte
	_, err := run(t, huge, h, webp.Options{Sink: unsafe.Pointer(&byteOfMemory), MaxMemory: 1 << 30})
	assert.ErrorIs(t, err, spool.ErrTooLarge)
}

// libwebp allocates memory for every chunk of an animation, however small: Header.Memory counts it.
func TestChunksAreCounted(t *testing.T) {
	data := lanetest.Read(t, "animated.webp")
	before := header(t, data).Memory()
	const chunks = 1 << 16
	stuffed := append(slices.Clone(data), slices.Repeat([]byte("JUNK\x00\x00\x00\x00"), chunks)...)
	binary.LittleEndian.PutUint32(stuffed[4:], uint32(len(stuffed)-8))
	h := header(t, stuffed)
	assert.GreaterOrEqual(t, h.Memory()-before, int64(len(stuffed)-len(data)))
	_, err := webp.OpenAnimation(stuffed, h, before+1000)
	assert.ErrorIs(t, err, spool.ErrTooLarge)
	a, err := webp.OpenAnimation(stuffed, h, 0)
	require.NoError(t, err)
	pixels, err := frame(t, a, h, 0, h.Height)
	require.NoError(t, err)
	assert.Equal(t, lanetest.Goldens[golden](t)["animated.webp"].Frames[0], lanetest.Digest(pixels))
	require.NoError(t, a.Close())
}

func TestOptionsAreCheckedAtOnce(t *testing.T) {
	var x byte
	data := lanetest.Read(t, "lossless.webp")
	h := header(t, data)
	_, err := run(t, data, h, webp.Options{Planes: unsafe.Pointer(&x), Channels: 2, Accept: 2})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, part := range []string{"lossless", "Channels 2", "Accept 2"} {
		assert.ErrorContains(t, err, part)
	}
	for _, o := range []webp.Options{{}, {Planes: unsafe.Pointer(&x), Sink: unsafe.Pointer(&x)},
		{Sink: unsafe.Pointer(&x), Channels: 1}, {Sink: unsafe.Pointer(&x), Accept: -1}} {
		_, err := run(t, data, h, o)
		assert.ErrorIs(t, err, spool.ErrOptions, "%+v", o)
	}
}

func TestSinkDoesNotDependOnTheKindOfImage(t *testing.T) {
	data := lanetest.Read(t, "lossy.webp")
	other := header(t, data)
	other.Lossless = true
	_, _, err := decodeRows(t, data, other, 0, other.Height, webp.Options{Channels: 3})
	assert.NoError(t, err, "only the size of pieces depends on it")
}
