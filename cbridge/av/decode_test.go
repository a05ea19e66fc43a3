package av_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
)

// decoding is a stream that is decoded from its start.
type decoding struct {
	t       testing.TB
	c       *call.Call
	in      *av.Input
	stream  int
	decoder *av.Decoder
	packet  *av.Packet
	frame   *av.Frame
	ended   bool
}

func decode(t testing.TB, c *call.Call, in *av.Input, kind av.Kind, o av.DecoderOptions) *decoding {
	d := &decoding{t: t, c: c, in: in, stream: in.Best(kind, -1)}
	require.GreaterOrEqual(t, d.stream, 0)
	in.Select(d.stream)
	parameters, err := in.Parameters(d.stream)
	require.NoError(t, err)
	d.decoder, err = av.NewDecoder(c, parameters, o)
	require.NoError(t, err)
	d.packet, err = av.NewPacket()
	require.NoError(t, err)
	d.frame, err = av.NewFrame()
	require.NoError(t, err)
	t.Cleanup(func() {
		d.frame.Release()
		d.packet.Release()
		if d.decoder != nil {
			require.NoError(t, d.decoder.Close())
		}
	})
	return d
}

// next decodes the next frame, and skips damaged packets.
func (d *decoding) next() bool {
	for {
		ok, err := d.decoder.Receive(d.c, d.frame)
		if err == nil && ok {
			return true
		}
		if err != nil {
			require.ErrorIs(d.t, err, spool.ErrCorrupt)
			continue
		}
		if d.ended {
			return false
		}
		switch err := d.in.Read(d.c, d.packet); {
		case errors.Is(err, io.EOF):
			d.ended = true
			require.NoError(d.t, d.decoder.Send(d.c, nil))
		default:
			require.NoError(d.t, err)
			if err := d.decoder.Send(d.c, d.packet); err != nil {
				require.ErrorIs(d.t, err, spool.ErrCorrupt)
			}
		}
	}
}

// rowsOf returns a plan that stores rows unchanged.
func rowsOf(width, height, top, bottom int, dtype spool.DType) *kernel.Plan {
	return &kernel.Plan{Width: width, Height: height, Channels: 3, Right: width, Top: top, Bits: 8 * dtype.Size(),
		DType: dtype,
		H:     kernel.Axis{In: width, Out: width}, V: kernel.Axis{In: bottom - top, Out: bottom - top},
		CanvasWidth: width, CanvasHeight: bottom - top, OutChannels: 3, Layout: spool.HWC}
}

// rgb converts a frame with the scaler.
func rgb(t testing.TB, c *call.Call, scaler *av.Scaler, f *av.Frame) []byte {
	return rows(t, c, scaler, f, 0, f.Height, spool.Uint8)
}

func rows(t testing.TB, c *call.Call, scaler *av.Scaler, f *av.Frame, top, bottom int, dtype spool.DType) []byte {
	plan := rowsOf(f.Width, f.Height, top, bottom, dtype)
	pixels := make([]byte, f.Width*(bottom-top)*3*dtype.Size())
	sink, err := kernel.NewSink(plan, pixels, make([]byte, plan.ScratchBytes()))
	require.NoError(t, err)
	defer sink.Close()
	require.NoError(t, scaler.Rows(c, f, sink.Pointer(), av.Conversion{Deep: dtype == spool.Uint16}))
	require.Equal(t, bottom-top, sink.Rows())
	return pixels
}

// ffmpeg runs the command and returns its output.
func ffmpeg(t testing.TB, arguments ...string) []byte {
	path := need.Command(t, "ffmpeg")
	text, err := exec.CommandContext(context.Background(), path,
		append([]string{"-v", "quiet", "-nostdin"}, arguments...)...).Output()
	require.NoError(t, err)
	return text
}

// All pixels of all frames equal the ffmpeg command's, which scales with the same library through other code.
func TestRowsAgainstFFmpeg(t *testing.T) {
	for i, file := range videos(t) {
		if info, err := os.Stat(file); err != nil || info.Size() > 200_000 || testing.Short() && i%10 != 0 {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			c := enter(t, t.Context())
			in, err := av.Open(c, spool.File(file), av.InputOptions{})
			if err != nil {
				t.Skip("not readable, as other tests demand")
			}
			defer in.Close()
			d, scaler := decode(t, c, in, av.Video, av.DecoderOptions{}), new(av.Scaler)
			defer scaler.Close()
			want := ffmpeg(t, "-threads", "1", "-noautorotate", "-i", file, "-noautoscale", "-map", "0:"+strconv.Itoa(d.stream),
				"-vsync", "passthrough",
				"-f", "rawvideo", "-pix_fmt", "rgb24", "-")
			frames := 0
			for ; d.next(); frames++ {
				size := d.frame.Width * d.frame.Height * 3
				require.GreaterOrEqual(t, len(want), size, "a frame more than ffmpeg's %d", frames)
				require.True(t, bytes.Equal(want[:size], rgb(t, c, scaler, d.frame)), "frame %d, %s", frames, d.frame.PixelFormat)
				want = want[size:]
			}
			assert.Positive(t, frames)
			assert.Empty(t, want)
		})
	}
}

// expectedVideo has torchcodec's results for a file.
type expectedVideo struct {
	Kind          string
	Width, Height int
	Rotation      string
	PTS           []float64
	FramesAt      []int  `json:"frames_at"`
	FramesNPY     string `json:"frames_npy"`
	Stride        int
}

// Frames equal torchcodec's, and so does every pts.
func TestRowsAgainstTorchcodec(t *testing.T) {
	text, err := os.ReadFile(need.Media(t, "expected/index.json"))
	require.NoError(t, err)
	var index map[string]expectedVideo
	require.NoError(t, json.Unmarshal(text, &index))
	for _, name := range short.Some(slices.Sorted(maps.Keys(index)), 3) {
		want := index[name]
		if want.FramesNPY == "" || want.Rotation != "None" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			npy, err := os.ReadFile(filepath.Join(shared, "expected", want.FramesNPY))
			require.NoError(t, err)
			pixels := npy[10+int(binary.LittleEndian.Uint16(npy[8:])):]
			c := enter(t, t.Context())
			in := open(t, c, spool.File(filepath.Join(shared, name)), av.InputOptions{})
			d, scaler := decode(t, c, in, av.Video, av.DecoderOptions{}), new(av.Scaler)
			defer scaler.Close()
			base := in.Media().Streams[d.stream].TimeBase.Float()
			at := want.FramesAt
			for i := range want.PTS {
				require.True(t, d.next(), "frame %d", i)
				require.InDelta(t, want.PTS[i], float64(d.frame.Guess)*base, 1e-6)
				if len(at) == 0 || i != at[0] {
					continue
				}
				at = at[1:]
				got := sparse(rgb(t, c, scaler, d.frame), want.Width, want.Height, want.Stride)
				mean, worst := difference(pixels[:len(got)], got)
				pixels = pixels[len(got):]
				assert.Zero(t, worst, "frame %d, %s: mean %.4f", i, d.frame.PixelFormat, mean)
			}
			assert.False(t, d.next())
			assert.Empty(t, pixels)
		})
	}
}

// sparse returns every n-th pixel of every n-th row.
func sparse(pixels []byte, width, height, n int) []byte {
	var some []byte
	for y := 0; y < height; y += n {
		for x := 0; x < width; x += n {
			some = append(some, pixels[(y*width+x)*3:][:3]...)
		}
	}
	return some
}

func difference(a, b []byte) (mean float64, worst int) {
	sum := 0
	for i := range a {
		d := int(a[i]) - int(b[i])
		d = max(d, -d)
		sum += d
		worst = max(worst, d)
	}
	return float64(sum) / float64(len(a)), worst
}
