package webp_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/seed"
)

// frameOf is an image that can be a frame: its chunks, without the container.
type frameOf struct {
	chunks        []byte
	width, height int
}

func framesOf(t *testing.T) (list []frameOf) {
	t.Helper()
	for _, name := range []string{"lossy.webp", "alpha.webp", "lossless.webp", "alpha_lossless.webp", "17x17.webp",
		"15x33_lossless.webp"} {
		data := lanetest.Read(t, name)
		h := header(t, data)
		s := frameOf{width: h.Width, height: h.Height}
		for at := 12; at+8 <= len(data); {
			size := int(binary.LittleEndian.Uint32(data[at+4:]))
			end := at + 8 + size + size&1
			switch string(data[at : at+4]) {
			case "ALPH", "VP8 ", "VP8L":
				s.chunks = append(s.chunks, data[at:end]...)
			}
			at = end
		}
		require.NotEmpty(t, s.chunks, name)
		list = append(list, s)
	}
	return list
}

func chunk(name string, content ...[]byte) []byte {
	all := bytes.Join(content, nil)
	out := append([]byte(name), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(all)))
	return append(append(out, all...), make([]byte, len(all)&1)...)
}

func uint24(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }

// animated makes an animation of frames with random positions, blending and disposal.
func animated(random *rand.Rand, list []frameOf, frames int) []byte {
	const animation, alpha = 1 << 1, 1 << 4
	var width, height int
	for _, s := range list {
		width, height = max(width, s.width), max(height, s.height)
	}
	spare := 2 * random.IntN(20)
	width, height = width+spare, height+spare
	body := [][]byte{[]byte("WEBP"), chunk("VP8X", []byte{animation | alpha, 0, 0, 0}, uint24(width-1), uint24(height-1)),
		chunk("ANIM", []byte{1, 2, 3, 4, 0, 0})}
	for range frames {
		s := list[random.IntN(len(list))]
		x, y := random.IntN((width-s.width)/2+1), random.IntN((height-s.height)/2+1)
		body = append(body, chunk("ANMF", uint24(x), uint24(y), uint24(s.width-1), uint24(s.height-1), uint24(10),
			[]byte{byte(random.IntN(4))}, s.chunks))
	}
	return chunk("RIFF", body...)
}

// The canvases equal those of libwebp's own animation decoder.
func TestFramesAreLibwebps(t *testing.T) {
	random, list := seed.Rand(t), framesOf(t)
	for round := range 30 {
		const frames = 6
		data := animated(random, list[:1+random.IntN(len(list))], frames)
		h := header(t, data)
		require.Equal(t, frames, h.Frames)
		size := h.Width * h.Height * 4
		want := make([]byte, frames*size)
		require.NoError(t, floor.WebPFrames(data, frames, want))
		a, err := webp.OpenAnimation(data, h, 0)
		require.NoError(t, err)
		for i := range frames {
			got, err := frame(t, a, h, 0, h.Height)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want[i*size:(i+1)*size], got), "round %d, frame %d", round, i)
		}
		require.NoError(t, a.Close())
	}
}
