package image_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	goimage "image"
	"image/color"
	"image/gif"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// swollenPNG returns an image of 2x2 pixels whose compressed data have 128 MiB.
func swollenPNG(t *testing.T) []byte {
	var pixels bytes.Buffer
	z, err := zlib.NewWriterLevel(&pixels, zlib.BestSpeed)
	require.NoError(t, err)
	for range 128 {
		_, err = z.Write(make([]byte, 1<<20))
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

// longGIF returns an animation of 100 frames of 1000x1000.
func longGIF(t *testing.T) []byte {
	frame := goimage.NewPaletted(goimage.Rect(0, 0, 1000, 1000), color.Palette{color.Black, color.White})
	for i := range frame.Pix {
		frame.Pix[i] = byte(i / 7 % 2)
	}
	animation := gif.GIF{}
	for range 100 {
		animation.Image, animation.Delay = append(animation.Image, frame), append(animation.Delay, 1)
	}
	var file bytes.Buffer
	require.NoError(t, gif.EncodeAll(&file, &animation))
	return file.Bytes()
}

// The processor time of an image is limited, over all calls of its decode, whatever the format makes of its bytes.
func TestProcessorTimeIsLimited(t *testing.T) {
	for name, x := range map[string]struct {
		data []byte
		spec image.Spec
	}{
		"data beyond the pixels": {swollenPNG(t), image.Spec{}},
		"frames before":          {longGIF(t), image.Spec{Frame: 99}},
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
