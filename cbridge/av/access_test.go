package av_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/leaktest"
)

// Containers that store time stamps give the same packets without probing. With the parameters from an earlier probe,
// decoders give the same frames.
func TestNoProbe(t *testing.T) {
	for _, name := range []string{"bframes.mp4", "opengop.mp4", "edited.mp4", "vfr.mp4", "altref.webm", "av1.mkv",
		"languages.mkv", "late.mkv", "mjpeg.mov"} {
		t.Run(name, func(t *testing.T) {
			c := enter(t, t.Context())
			probed := open(t, c, spool.File(small+name), av.InputOptions{})
			stream := probed.Best(av.Video, -1)
			want, err := probed.Scan(c, stream)
			require.NoError(t, err)
			p, err := probed.Parameters(stream)
			require.NoError(t, err)

			in := open(t, c, spool.File(small+name), av.InputOptions{NoProbe: true, Format: probed.Media().Format})
			got, err := in.Scan(c, stream)
			require.NoError(t, err)
			first := min(want[0].DTS, want[0].PTS)
			if strings.HasPrefix(probed.Media().Format, "matroska") { // has no DTS: probing estimates them
				for i := range want {
					want[i].DTS, got[i].DTS = 0, 0
				}
			}
			assert.Equal(t, want, got)

			require.NoError(t, in.Seek(c, stream, first))
			decoder, err := av.NewDecoder(c, p, av.DecoderOptions{})
			require.NoError(t, err)
			defer decoder.Close()
			again := open(t, c, spool.File(small+name), av.InputOptions{})
			d := decode(t, c, again, av.Video, av.DecoderOptions{})
			e := &decoding{t: t, c: c, in: in, stream: stream, decoder: decoder, packet: newPacket(t), frame: newFrame(t)}
			in.Select(stream)
			var scaler av.Scaler
			defer scaler.Close()
			for d.next() {
				require.True(t, e.next())
				require.Equal(t, [2]int64{d.frame.PTS, d.frame.Guess}, [2]int64{e.frame.PTS, e.frame.Guess})
				require.True(t, bytes.Equal(rgb(t, c, &scaler, d.frame), rgb(t, c, &scaler, e.frame)))
			}
			assert.False(t, e.next())
		})
	}
}

func newPacket(t *testing.T) *av.Packet {
	p, err := av.NewPacket()
	require.NoError(t, err)
	t.Cleanup(p.Release)
	return p
}

func newFrame(t *testing.T) *av.Frame {
	f, err := av.NewFrame()
	require.NoError(t, err)
	t.Cleanup(f.Release)
	return f
}

// With SkipNonReference, the remaining frames are pixel-identical. The skipped frames are those that Scan marks as
// disposable.
func TestSkipNonReference(t *testing.T) {
	for _, name := range []string{"bframes.mp4", "opengop.mp4", "bframes.ts", "altref.webm", "mpeg4.avi", "mpeg2.mpg",
		"av1.mkv", "refresh.ts"} {
		t.Run(name, func(t *testing.T) {
			c := enter(t, t.Context())
			var scaler av.Scaler
			defer scaler.Close()
			want := map[int64][]byte{}
			all := decode(t, c, open(t, c, spool.File(small+name), av.InputOptions{}), av.Video, av.DecoderOptions{})
			for all.next() {
				want[all.frame.Guess] = rgb(t, c, &scaler, all.frame)
			}
			some := decode(t, c, open(t, c, spool.File(small+name), av.InputOptions{}), av.Video, av.DecoderOptions{})
			some.decoder.SkipNonReference(true)
			scanned := open(t, c, spool.File(small+name), av.InputOptions{})
			entries, err := scanned.Scan(c, scanned.Best(av.Video, -1))
			require.NoError(t, err)
			disposable := map[int64]bool{} // by DTS
			needed := 0
			for _, e := range entries {
				if disposable[e.DTS] = e.Disposable; !e.Disposable {
					needed++
				}
			}
			frames := 0
			for ; some.next(); frames++ {
				require.False(t, disposable[some.frame.DTS], "dts %d", some.frame.DTS)
				require.True(t, bytes.Equal(want[some.frame.Guess], rgb(t, c, &scaler, some.frame)), "pts %d", some.frame.Guess)
			}
			t.Logf("%d of %d frames", frames, len(want))
			assert.Equal(t, needed, frames)
			if strings.Contains(name, "bframes") || name == "opengop.mp4" {
				assert.Less(t, frames, len(want)*3/4)
			}
		})
	}
}

// A sink that needs some rows gets those. Rows of 16 bits equal the ffmpeg command's.
func TestSomeRowsAndDeepRows(t *testing.T) {
	for _, name := range []string{"bframes.mp4", "deep.mp4", "hdr.mp4", "odd444.mp4", "odd.webm", "gray.mp4", "ffv1.mkv",
		"full.mp4"} {
		t.Run(name, func(t *testing.T) {
			c := enter(t, t.Context())
			var scaler av.Scaler
			defer scaler.Close()
			d := decode(t, c, open(t, c, spool.File(small+name), av.InputOptions{}), av.Video, av.DecoderOptions{})
			require.True(t, d.next())
			whole, row := rgb(t, c, &scaler, d.frame), d.frame.Width*3
			for _, part := range [][2]int{{0, 1}, {1, 2}, {7, 20}, {d.frame.Height - 1, d.frame.Height}, {15, 17}} {
				got := rows(t, c, &scaler, d.frame, part[0], part[1], spool.Uint8)
				assert.True(t, bytes.Equal(whole[part[0]*row:part[1]*row], got), "rows %v", part)
			}
			deep := rows(t, c, &scaler, d.frame, 0, d.frame.Height, spool.Uint16)
			want := ffmpeg(t, "-threads", "1", "-i", small+name, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb48le", "-")
			assert.True(t, bytes.Equal(want, deep))
		})
	}
}

// Repeated opening, scanning and decoding does not increase memory use.
func TestMemoryIsFlat(t *testing.T) {
	if freedMemoryStays {
		t.Skip("the address sanitizer keeps freed memory, and finds leaks by itself")
	}
	files, err := filepath.Glob(small + "*")
	require.NoError(t, err)
	pass := func(n int) {
		for range n {
			for _, file := range files {
				c, err := call.Enter(context.Background(), 1)
				require.NoError(t, err)
				if err := readAll(c, spool.File(file)); err != nil {
					require.NotEmpty(t, spool.ClassOf(err))
				}
				c.Leave()
			}
		}
	}
	leaktest.Flat(t, 2<<20, func() { pass(12) })
}

// Methods of a closed handle return an error, and a second Close does nothing.
func TestClosedHandles(t *testing.T) {
	c := enter(t, t.Context())
	in, err := av.Open(c, spool.File(small+"bframes.mp4"), av.InputOptions{})
	require.NoError(t, err)
	packet, frame := newPacket(t), newFrame(t)
	require.NoError(t, in.Read(c, packet))
	kept, err := packet.Clone()
	require.NoError(t, err)
	data := packet.Data()
	packet.Release()
	packet.Release()
	assert.Equal(t, data, kept.Data(), "a clone keeps the payload")
	kept.Release()
	frame.Release()
	frame.Release()
	require.NoError(t, in.Close())
	require.NoError(t, in.Close())
	assert.ErrorIs(t, in.Read(c, packet), spool.ErrClosed)
	_, err = in.Scan(c, 0)
	assert.ErrorIs(t, err, spool.ErrClosed)
	_, err = in.Parameters(0)
	assert.ErrorIs(t, err, spool.ErrClosed)
	assert.ErrorIs(t, in.Seek(c, 0, 0), spool.ErrClosed)
	assert.Equal(t, -1, in.Best(av.Video, -1))
	assert.Zero(t, in.Media())
	assert.Nil(t, packet.Data())
	_, err = packet.Clone()
	assert.ErrorIs(t, err, spool.ErrClosed)
	_, err = frame.Clone()
	assert.ErrorIs(t, err, spool.ErrClosed)
	in.Select(0)

	again := open(t, c, spool.File(small+"bframes.mp4"), av.InputOptions{})
	_, err = again.Scan(c, 5)
	assert.ErrorIs(t, err, spool.ErrNoSuchFrame)
	assert.NotEqual(t, io.EOF, again.Seek(c, -1, 0))
	assert.ErrorIs(t, again.Read(c, packet), spool.ErrClosed)
}
