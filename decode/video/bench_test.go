package video_test

import (
	"cmp"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

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

// bare reads and decodes all of a video, and ignores the frames: the baseline of the other benchmarks.
func bare(tb testing.TB, path string) (frames int) {
	c, err := call.Enter(ctx, 1)
	require.NoError(tb, err)
	defer c.Leave()
	in, err := av.Open(c, spool.File(path), av.InputOptions{})
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
		if err := in.Read(c, packet); errors.Is(err, io.EOF) {
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

// generated is a video that make bench-media writes, or without it a small one of the test data.
func generated(b *testing.B, name string) string {
	path := filepath.Join("../../bin/bench-media/video", name)
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(media, "video", "bframes.mp4")
		b.Logf("%s for want of %s, which make bench-media generates", path, name)
	}
	return path
}

// Frames a second of a whole video, compared with the bare loop, and of 16 of its frames.
func BenchmarkVideo(b *testing.B) {
	at := func(p resize.Profile) video.Spec {
		return video.Spec{Resize: resize.Spec{Width: 224, Height: 224, Profile: p}}
	}
	for _, name := range []string{"clip0.mp4", "hd.mp4"} {
		path := generated(b, name)
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
			spec   video.Spec
			frames int // evenly sampled; 0 means all, in chunks of 16
		}{{"fast", at(resize.Fast), 0}, {"exact", at(resize.Exact), 0}, {"native", video.Spec{}, 0},
			{"fast16", at(resize.Fast), 16}} {
			b.Run(name+"/"+way.name, func(b *testing.B) {
				d := decodetest.New(b, decoders.Options{})
				n := 0
				for b.Loop() {
					v, err := d.Videos.Open(ctx, spool.File(path), video.OpenOptions{})
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

// An open with a saved index, and without.
func BenchmarkOpenVideo(b *testing.B) {
	for _, path := range []string{filepath.Join(media, "video", "bframes.mp4"), generated(b, "clip0.mp4")} {
		data := decodetest.ReadFile(b, path)
		copied := filepath.Join(b.TempDir(), filepath.Base(path))
		require.NoError(b, os.WriteFile(copied, data, 0o600))
		d := decodetest.New(b, decoders.Options{})
		open := func(b *testing.B) {
			for b.Loop() {
				v, err := d.Videos.Open(ctx, spool.File(copied), video.OpenOptions{})
				require.NoError(b, err)
				require.NoError(b, v.Close())
			}
		}
		b.Run(filepath.Base(path)+"/scanned", open)
		v, err := d.Videos.Open(ctx, spool.File(copied), video.OpenOptions{})
		require.NoError(b, err)
		_, err = v.SaveIndex("")
		require.NoError(b, errors.Join(err, v.Close()))
		b.Run(filepath.Base(path)+"/saved", open)
	}
}

// Batches of 8 requests of 4 frames, at random places of one long file: one after the other, and in one plan.
func BenchmarkGather(b *testing.B) {
	path := cmp.Or(os.Getenv("LONG"), generated(b, "clip0.mp4"))
	d := decodetest.New(b, decoders.Options{})
	v := decodetest.OpenVideo(b, d, spool.File(path), video.OpenOptions{})
	spec := video.Spec{Resize: resize.Spec{Width: 224, Height: 224, Profile: resize.Fast}}
	for _, way := range []string{"one by one", "gathered"} {
		b.Run(way, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			for b.Loop() {
				requests := make([]video.Request, 8)
				for i := range requests {
					first := rng.IntN(v.Len() - 16)
					requests[i] = video.Request{Video: v, Dst: make([]byte, 4*224*224*3),
						Frames: []int{first, first + 5, first + 10, first + 15}, Spec: spec}
				}
				if way == "gathered" {
					for _, a := range video.Gather(ctx, requests) {
						require.NoError(b, a.Err)
					}
					continue
				}
				for _, r := range requests {
					_, err := v.FramesInto(ctx, r.Dst, r.Frames, r.Spec)
					require.NoError(b, err)
				}
			}
		})
	}
}
