package av_test

import (
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
)

// samples are those of a stream, plane by plane, and the number of packets that were refused.
type samples struct {
	planes  [16][]byte
	refused int
}

// add appends n samples of planes.
func (s *samples) add(f *av.Frame, planes []unsafe.Pointer, n int) {
	name := f.SampleFormat.String()
	step := map[string]int{"u8": 1, "s16": 2, "s32": 4, "flt": 4, "s64": 8, "dbl": 8}[strings.TrimSuffix(name, "p")]
	if !strings.HasSuffix(name, "p") {
		step *= f.Channels
	}
	for i, plane := range planes {
		s.planes[i] = append(s.planes[i], unsafe.Slice((*byte)(plane), n*step)...)
	}
}

func (s *samples) addFrame(t *testing.T, f *av.Frame) {
	planes, err := f.Planes(nil)
	require.NoError(t, err)
	s.add(f, planes, f.Samples)
}

// byFrames decodes the rest of a stream, frame by frame.
func (d *decoding) byFrames(t *testing.T, s *samples) {
	for {
		ok, err := d.decoder.Receive(d.c, d.frame)
		switch {
		case err != nil:
			s.refused++
		case ok:
			s.addFrame(t, d.frame)
		case d.ended:
			return
		default:
			err := d.in.Read(d.c, d.packet)
			if errors.Is(err, io.EOF) {
				d.ended = true
				require.NoError(t, d.decoder.Send(d.c, nil))
				continue
			}
			require.NoError(t, err)
			if d.decoder.Send(d.c, d.packet) != nil {
				s.refused++
			}
		}
	}
}

// byBlocks does the same in blocks of about n samples. It returns the number of blocks.
func (d *decoding) byBlocks(t *testing.T, s *samples, n int64) (blocks int) {
	block, err := av.NewBlock()
	require.NoError(t, err)
	defer block.Release()
	for {
		end := d.decoder.FillBlock(d.c, d.in, d.stream, d.packet, d.frame, block, n)
		if block.Samples > 0 {
			blocks++
			s.add(d.frame, block.Planes(nil), block.Samples)
		}
		switch {
		case end.Frame:
			s.addFrame(t, d.frame)
		case end.Decode != nil:
			require.ErrorIs(t, end.Decode, spool.ErrCorrupt)
			s.refused++
		case end.Read != nil:
			require.ErrorIs(t, end.Read, io.EOF)
			d.ended = true
			require.NoError(t, d.decoder.Send(d.c, nil))
			d.byFrames(t, s)
			return blocks
		}
	}
}

// Blocks have the samples of the frames, whatever is asked for at a time, and damage is found in the same places.
func TestBlocks(t *testing.T) {
	c := enter(t, t.Context())
	for name, least := range map[string]int{"mp3.mp3": 2, "aac.m4a": 2, "aac.mkv": 2, "opus.opus": 2, "vorbis.ogg": 2,
		"flac.ogg": 1, "six.wav": 1, "s24.wav": 1, "f64.wav": 1, "low.mp3": 1, "damaged.m4a": 1,
		"damaged.mka": 1, "mp3.ts": 2} {
		t.Run(name, func(t *testing.T) {
			start := func() *decoding {
				file := open(t, c, spool.File("../../testdata/audio/"+name), av.InputOptions{})
				d := decode(t, c, file, av.Audio, av.DecoderOptions{})
				require.True(t, d.next())
				return d
			}
			var want samples
			start().byFrames(t, &want)
			require.NotEmpty(t, want.planes[0])
			for _, n := range []int64{1, 3000, math.MaxInt64} {
				var got samples
				blocks := start().byBlocks(t, &got, n)
				assert.Equal(t, want.refused, got.refused)
				for i := range want.planes {
					require.Len(t, got.planes[i], len(want.planes[i]))
					assert.Equal(t, string(want.planes[i]), string(got.planes[i]), "plane %d, %d at a time", i, n)
				}
				assert.GreaterOrEqual(t, blocks, least)
			}
		})
	}
}

func TestBlockIsRefused(t *testing.T) {
	c := enter(t, t.Context())
	file := open(t, c, spool.File("../../testdata/audio/mp3.mp3"), av.InputOptions{})
	d := decode(t, c, file, av.Audio, av.DecoderOptions{})
	require.True(t, d.next())
	block, err := av.NewBlock()
	require.NoError(t, err)

	ended, cancel := context.WithCancel(t.Context())
	late := enter(t, ended)
	cancel()
	for late.Err() == nil { // the flag is set by another goroutine
		runtime.Gosched()
	}
	assert.ErrorIs(t, d.decoder.FillBlock(late, d.in, d.stream, d.packet, d.frame, block, 1).Read, context.Canceled)
	assert.ErrorIs(t, d.decoder.FillBlock(c, d.in, 7, d.packet, d.frame, block, 1).Read, spool.ErrNoSuchFrame)
	assert.Zero(t, block.Samples)

	block.Release()
	block.Release()
	assert.ErrorIs(t, d.decoder.FillBlock(c, d.in, d.stream, d.packet, d.frame, block, 1).Decode, spool.ErrClosed)
	assert.Empty(t, block.Planes(nil))
	require.NoError(t, d.decoder.Close())
	assert.ErrorIs(t, d.decoder.FillBlock(c, d.in, d.stream, d.packet, d.frame, block, 1).Decode, spool.ErrClosed)
}
