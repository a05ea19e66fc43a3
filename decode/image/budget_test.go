package image_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	goimage "image"
	"image/color"
	"image/gif"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// swollenPNG returns an image of 2x2 pixels whose data are so many MiB when they are decompressed.
func swollenPNG(t *testing.T, size int) []byte {
	var pixels bytes.Buffer
	z, err := zlib.NewWriterLevel(&pixels, zlib.BestSpeed)
	require.NoError(t, err)
	zeros := make([]byte, 1<<20)
	for range size {
		_, err = z.Write(zeros)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	file := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		body := append([]byte(name), data...)
		file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
		file = append(file, body...)
		file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(body))
	}
	chunk("IHDR", []byte{0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0})
	chunk("IDAT", pixels.Bytes())
	chunk("IEND", nil)
	return file
}

// longGIF returns an animation of so many frames of 1000x1000.
func longGIF(t *testing.T, frames int) []byte {
	frame := goimage.NewPaletted(goimage.Rect(0, 0, 1000, 1000), color.Palette{color.Black, color.White})
	for i := range frame.Pix {
		frame.Pix[i] = byte(i / 7 % 2)
	}
	animation := gif.GIF{}
	for range frames {
		animation.Image, animation.Delay = append(animation.Image, frame), append(animation.Delay, 1)
	}
	var file bytes.Buffer
	require.NoError(t, gif.EncodeAll(&file, &animation))
	return file.Bytes()
}

// The processor time of an image is limited, over all calls of its decode, whatever the format makes of its bytes.
func TestProcessorTimeIsLimited(t *testing.T) {
	mebibytes, frames := short.Of(128, 32), short.Of(100, 25)
	for name, x := range map[string]struct {
		data []byte
		spec image.Spec
	}{
		"data beyond the pixels": {swollenPNG(t, mebibytes), image.Spec{}},
		"frames before":          {longGIF(t, frames), image.Spec{Frame: frames - 1}},
	} {
		t.Run(name, func(t *testing.T) {
			for limit, stopped := range map[time.Duration]bool{2 * time.Millisecond: true, 0: false, -1: false} {
				d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxCPU: limit}})
				b, _, err := d.Images.Decode(ctx, spool.Bytes{Data: x.data, Name: "costly"}, x.spec)
				if !stopped {
					require.NoError(t, err)
					b.Release()
					continue
				}
				require.ErrorIs(t, err, spool.ErrTimeout)
				require.EqualError(t, err, "decode costly: timeout: more than 2ms of processor time")
			}
		})
	}
}

// sparseGIF returns an animation on a canvas of 4000x4000, in 23 bytes a frame: a pixel, after which the canvas is
// cleared (disposal 2) or restored (3).
func sparseGIF(frames int, disposal byte) []byte {
	file := []byte("GIF89a\xa0\x0f\xa0\x0f\x80\x00\x00\x00\x00\x00\xff\xff\xff")
	for range frames {
		file = append(file, 0x21, 0xf9, 4, disposal<<2, 1, 0, 0, 0) // how long it is shown, and the disposal
		file = append(file, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0)        // where it is
		file = append(file, 2, 2, 0x4c, 0x01, 0)                    // codes of 3 bits: clear, color 1, end
	}
	return append(file, 0x3b)
}

// TestCostOfHugeFiles logs the processor time of small files that ask for much work, which ends within the default
// limit or at it. docs/failures.md has that of the full sizes.
func TestCostOfHugeFiles(t *testing.T) {
	mebibytes, frames := short.Of(64, 16), short.Of(10, 4)
	if os.Getenv("SPOOL_EXPLORE") != "" {
		mebibytes, frames = 4096, 4000
	}
	small := image.Spec{Resize: resize.Spec{Width: 8, Height: 8}}
	for name, x := range map[string]struct {
		data   []byte
		first  int
		frames int
	}{
		"PNG":                               {swollenPNG(t, mebibytes), 0, 1},
		"last frame of a GIF that clears":   {sparseGIF(frames, 2), frames - 1, 1},
		"last frame of a GIF that restores": {sparseGIF(frames, 3), frames - 1, 1},
		"all frames of a GIF":               {sparseGIF(frames, 2), 0, frames},
	} {
		for limit, means := range map[time.Duration]string{0: "default", -1: "no limit"} {
			t.Run(name+", "+means, func(t *testing.T) {
				d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxCPU: limit}})
				before, spec := processorTime(t), small
				spec.Frame = x.first
				b, _, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: x.data, Name: "costly"}, spec, x.frames)
				t.Logf("%d bytes: %v of processor time, error: %v", len(x.data), processorTime(t)-before, err)
				if err != nil {
					require.ErrorIs(t, err, spool.ErrTimeout)
					return
				}
				b.Release()
			})
		}
	}
}

// processorTime is that of this process so far.
func processorTime(t *testing.T) time.Duration {
	var used unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
