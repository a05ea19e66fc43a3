package decode_test

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/resize"
)

// bare reads and decodes all of a video and looks at nothing: the floor that the others are held to.
func bare(tb testing.TB, path string) (frames int) {
	c, err := call.Enter(ctx, 1)
	require.NoError(tb, err)
	defer c.Leave()
	in, err := av.Open(c, av.Source{Path: path}, av.InputOptions{})
	require.NoError(tb, err)
	defer in.Close()
	stream := in.Best(av.Video, -1)
	in.Select(stream)
	parameters, err := in.Parameters(stream)
	require.NoError(tb, err)
	codec, err := av.NewDecoder(c, parameters, av.DecoderOptions{})
	require.NoError(tb, err)
	defer codec.Close()
	packet, err := av.NewPacket()
	require.NoError(tb, err)
	defer packet.Release()
	frame, err := av.NewFrame()
	require.NoError(tb, err)
	defer frame.Release()
	for ended := false; !ended; {
		if err := in.Read(c, packet); err == io.EOF {
			ended = true
			require.NoError(tb, codec.Send(c, nil))
		} else {
			require.NoError(tb, err)
			require.NoError(tb, codec.Send(c, packet))
		}
		for {
			ok, err := codec.Receive(c, frame)
			require.NoError(tb, err)
			if !ok {
				break
			}
			frames++
		}
	}
	return frames
}

// Frames a second of a whole video, beside the bare loop, and of 16 frames of it.
func BenchmarkVideo(b *testing.B) {
	at := func(p resize.Profile) decode.VideoSpec {
		return decode.VideoSpec{Resize: resize.Spec{Width: 224, Height: 224, Profile: p}}
	}
	for _, name := range []string{"clip0.mp4", "hd.mp4"} {
		path := filepath.Join(shared, "video", name)
		filmsShared(b) // or skip
		perFrame := func(b *testing.B, frames int) {
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(frames), "us/frame")
		}
		b.Run(name+"/floor", func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = bare(b, path)
			}
			perFrame(b, n)
		})
		for _, way := range []struct {
			name   string
			spec   decode.VideoSpec
			frames int // evenly sampled; 0 is all, by chunks of 16
		}{{"fast", at(resize.Fast), 0}, {"exact", at(resize.Exact), 0}, {"native", decode.VideoSpec{}, 0}, {"fast16", at(resize.Fast), 16}} {
			b.Run(name+"/"+way.name, func(b *testing.B) {
				d := newDecoder(b, decode.Options{})
				n := 0
				for b.Loop() {
					v, err := d.OpenVideo(ctx, decode.Input{Path: path}, decode.VideoOptions{})
					require.NoError(b, err)
					if n = v.Len(); way.frames > 0 {
						n = way.frames
						clip, err := v.Frames(ctx, index.Even(v.Len(), n), way.spec)
						require.NoError(b, err)
						clip.Release()
					} else {
						for clip, err := range v.Chunks(ctx, 16, way.spec) {
							require.NoError(b, err)
							clip.Release()
						}
					}
					require.NoError(b, v.Close())
				}
				perFrame(b, n)
			})
		}
	}
}
