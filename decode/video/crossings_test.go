package video_test

import (
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/resize"
)

// A frame costs at most two calls into C besides those of FFmpeg's loop: read, send, receive.
func TestCallsIntoCOfAFrame(t *testing.T) {
	const name = "../../testdata/video/bframes.mp4"
	least := func(do func()) int64 {
		n := int64(1 << 62)
		for range 10 {
			before := runtime.NumCgoCall()
			do()
			n = min(n, runtime.NumCgoCall()-before)
		}
		return n
	}

	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	bare := loop{t: t, c: c}
	bare.open(name)
	var frames int
	own := least(func() { frames = bare.run() })
	bare.close()
	c.Leave()

	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(name), video.OpenOptions{})
	require.Equal(t, frames, v.Len())
	for _, profile := range []resize.Profile{resize.Exact, resize.Fast} {
		spec := video.Spec{Resize: resize.Spec{Width: 16, Height: 16, Profile: profile}}
		clip := func(n int) int64 {
			list, _ := index.Range(v.Len(), 0, n, 1)
			return least(func() {
				clip, err := v.Frames(t.Context(), list, spec)
				require.NoError(t, err)
				clip.Release()
			})
		}
		const few = 4
		more := float64(clip(v.Len())-clip(few)) / float64(v.Len()-few)
		t.Logf("%v: %.2f calls a frame, FFmpeg's loop %.2f", profile, more, float64(own)/float64(frames))
		assert.LessOrEqual(t, more, float64(own)/float64(frames)+2, "%v", profile)
	}
}

// loop is FFmpeg's decoding loop through the package av.
type loop struct {
	t       *testing.T
	c       *call.Call
	in      *av.Input
	stream  int
	decoder *av.Decoder
	packet  *av.Packet
	frame   *av.Frame
}

func (l *loop) open(name string) {
	var err error
	l.in, err = av.Open(l.c, spool.File(name), av.InputOptions{})
	require.NoError(l.t, err)
	l.stream = l.in.Best(av.Video, -1)
	parameters, err := l.in.Parameters(l.stream)
	require.NoError(l.t, err)
	l.decoder, err = av.NewDecoder(l.c, parameters, av.DecoderOptions{})
	require.NoError(l.t, err)
	l.packet, err = av.NewPacket()
	require.NoError(l.t, err)
	l.frame, err = av.NewFrame()
	require.NoError(l.t, err)
}

func (l *loop) close() {
	l.frame.Release()
	l.packet.Release()
	assert.NoError(l.t, l.decoder.Close())
	assert.NoError(l.t, l.in.Close())
}

// run decodes all frames from the start, and returns their number.
func (l *loop) run() (frames int) {
	l.decoder.Flush()
	require.NoError(l.t, l.in.Seek(l.c, l.stream, 0))
	for {
		err := l.in.Read(l.c, l.packet)
		end := errors.Is(err, io.EOF)
		if end {
			err = l.decoder.Send(l.c, nil)
		} else if err == nil {
			err = l.decoder.Send(l.c, l.packet)
		}
		require.NoError(l.t, err)
		for {
			ok, err := l.decoder.Receive(l.c, l.frame)
			require.NoError(l.t, err)
			if !ok {
				break
			}
			frames++
		}
		if end {
			return frames
		}
	}
}
