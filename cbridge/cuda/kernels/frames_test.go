package kernels_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
)

// testFrames has frames in memory.
type testFrames struct {
	kernels.Frames
	bytes []byte
	u, v  int // their offsets in bytes
}

// randomFrames returns frames of noise, packed or with gaps between rows and frames.
func randomFrames(r *rand.Rand) testFrames {
	f := testFrames{Frames: kernels.Frames{Frames: 1 + r.IntN(3), Width: 1 + r.IntN(50), Height: 1 + r.IntN(20),
		SubX: 1 + r.IntN(2), SubY: 1 + r.IntN(2)}}
	if r.IntN(2) == 0 {
		f.Width = 16 * (1 + r.IntN(4))
	}
	f.Video = kernel.Video{Full: r.IntN(2) == 0, Bits: pick(r, 0, 8, 10, 12, 16), Chroma: kernel.Chroma(r.IntN(3)),
		Matrix: pick(r, kernel.Matrix{}, kernel.BT601, kernel.BT709, kernel.BT2020)}
	f.High = f.Bits > 8 && r.IntN(2) == 0
	f.Scale = kernels.Scale{DType: spool.Uint8}
	if r.IntN(2) == 0 {
		f.Scale = randomScale(r, 3)
	}
	var size int
	f.u, f.v, size = f.Pack()
	if r.IntN(3) == 0 {
		rows := (f.Height + f.SubY - 1) / f.SubY
		f.LumaPitch, f.ChromaPitch = (f.LumaPitch+63)/64*64, (f.ChromaPitch+63)/64*64
		f.u, f.v = f.LumaPitch*f.Height, f.LumaPitch*f.Height+f.ChromaPitch*rows
		size = f.v + f.ChromaPitch*rows
		f.LumaFrame, f.ChromaFrame = size, size
	}
	f.bytes = noise(r, f.Frames.Frames*size)
	if f.Bits > 8 { // unused bits are zero, as in P010
		for i := 0; i < len(f.bytes); i += 2 {
			word := binary.NativeEndian.Uint16(f.bytes[i:])
			if f.High {
				word &^= 1<<(16-f.Bits) - 1
			} else {
				word &= 1<<f.Bits - 1
			}
			binary.NativeEndian.PutUint16(f.bytes[i:], word)
		}
	}
	return f
}

// onHost converts the frames with the twin.
func (f *testFrames) onHost(t testing.TB) []byte {
	t.Helper()
	out := make([]byte, f.Frames.Frames*f.Width*f.Height*3*f.DType.Size())
	require.NoError(t, f.OnHost(f.bytes, f.bytes[f.u:], f.bytes[f.v:], out))
	return out
}

func TestFrames(t *testing.T) {
	random, d := seed.Rand(t), newDevice(t)
	for i := range 200 {
		f := randomFrames(random)
		want := f.onHost(t)
		got := d.run(t, f.bytes, len(want), 2*random.IntN(2), f.DType.Size()*pick(random, 0, 0, 16, 3),
			func(in, out cuda.Pointer) error {
				return d.Kernels.Frames(d.stream, &f.Frames, in, in+cuda.Pointer(f.u), in+cuda.Pointer(f.v), out)
			})
		require.True(t, bytes.Equal(want, got), "case %d: %+v", i, f.Frames)
	}
}

// sample returns sample x, y of a plane.
func (f *testFrames) sample(plane, frame, x, y int) float64 {
	at, pitch, step, size := 0, f.LumaPitch, 1, 1
	if f.Bits > 8 {
		size = 2
	}
	if plane > 0 {
		x, y, at, pitch = x/f.SubX, y/f.SubY, f.u, f.ChromaPitch
		if f.Chroma != kernel.Separate {
			step = 2
			at += ((plane - 1) ^ int(f.Chroma-kernel.PairsUV)) * size
		} else if plane == 2 {
			at = f.v
		}
	}
	at += frame*f.LumaFrame + y*pitch + x*step*size
	if size == 1 {
		return float64(f.bytes[at])
	}
	word := float64(binary.NativeEndian.Uint16(f.bytes[at:]))
	if !f.High {
		word *= math.Pow(2, float64(16-f.Bits))
	}
	return word / 256
}

// The twin is close to ITU-T H.273 in real numbers. Words differ by rounding, and bytes by three truncated products.
func TestFramesTwinIsNearTheRealNumbers(t *testing.T) {
	random := seed.Rand(t)
	parts := map[kernel.Matrix][2]float64{{}: {0.299, 0.114}, kernel.BT601: {0.299, 0.114}, kernel.BT709: {0.2126, 0.0722},
		kernel.BT2020: {0.2627, 0.0593}}
	for range 100 {
		f := randomFrames(random)
		f.Scale = kernels.Scale{DType: spool.Uint8}
		got := f.onHost(t)
		kr, kb := parts[f.Matrix][0], parts[f.Matrix][1]
		zero, luma, chroma := 16.0, 255.0/219, 255.0/224
		if f.Full {
			zero, luma, chroma = 0, 1, 1
		}
		for i := range f.Frames.Frames * f.Width * f.Height {
			frame, y, x := i/(f.Width*f.Height), i/f.Width%f.Height, i%f.Width
			light, b, r := (f.sample(0, frame, x, y)-zero)*luma, (f.sample(1, frame, x, y)-128)*chroma, (f.sample(2, frame, x,
				y)-128)*chroma
			red, blue := light+2*(1-kr)*r, light+2*(1-kb)*b
			green := (light - kr*red - kb*blue) / (1 - kr - kb)
			for c, want := range []float64{red, green, blue} {
				off := float64(got[3*i+c]) - min(max(want, 0), 255)
				if f.Bits > 8 {
					require.InDelta(t, 0, off, 0.53, "%+v", f.Frames)
				} else {
					require.True(t, -3.2 < off && off < 0.4, "%v: %+v", off, f.Frames)
				}
			}
		}
	}
}

// For 8 bits and even height, the twin equals the host's kernels, which decode in the profile exact.
func TestFramesTwinIsTheDecoders(t *testing.T) {
	random := seed.Rand(t)
	repeated := func(in, out, sub int) kernel.Axis {
		if sub == 1 {
			return kernel.Axis{In: in, Out: out}
		}
		a := kernel.Axis{In: in, Out: out, Stride: 1, Precision: 14}
		for i := range out {
			a.Start, a.Count, a.Weights = append(a.Start, int32(i/2)), append(a.Count, 1), append(a.Weights, 1<<14)
		}
		return a
	}
	for range 40 {
		f := testFrames{Frames: kernels.Frames{Frames: 1, Width: 1 + random.IntN(60), Height: 2 * (1 + random.IntN(10)),
			SubX: 2, SubY: 1 + random.IntN(2), Scale: kernels.Scale{DType: spool.Uint8}}}
		f.Video = kernel.Video{Full: random.IntN(2) == 0, Matrix: pick(random, kernel.BT601, kernel.BT709, kernel.BT2020)}
		var size int
		f.u, f.v, size = f.Pack()
		f.bytes = noise(random, size)
		width, height := (f.Width+1)/2, (f.Height+f.SubY-1)/f.SubY
		plan := &kernel.PlanesPlan{Rule: kernel.RuleVideo, Video: f.Video, Width: f.Width, Height: f.Height, SubX: 2,
			SubY:   f.SubY,
			Luma:   &kernel.PlaneArea{H: kernel.Axis{In: f.Width, Out: f.Width}, V: kernel.Axis{In: f.Height, Out: f.Height}},
			Chroma: &kernel.PlaneArea{H: repeated(width, f.Width, 2), V: repeated(height, f.Height, f.SubY)}}
		rows := &kernel.Plan{Width: f.Width, Height: f.Height, Channels: 3, Right: f.Width, H: plan.Luma.H, V: plan.Luma.V,
			CanvasWidth: f.Width, CanvasHeight: f.Height, OutChannels: 3, Layout: spool.HWC}
		want := make([]byte, f.Width*f.Height*3)
		sink, err := kernel.NewSink(rows, want, make([]byte, rows.ScratchBytes()))
		require.NoError(t, err)
		planes, err := kernel.NewPlanes(plan, sink.Pointer(), make([]byte, plan.ScratchBytes()))
		require.NoError(t, err)
		_, err = planes.Push(kernel.Band{Y: f.bytes[:f.u], U: f.bytes[f.u:f.v], V: f.bytes[f.v:], StrideY: f.LumaPitch,
			StrideUV: f.ChromaPitch, Rows: f.Height})
		require.NoError(t, err)
		require.NoError(t, planes.Close())
		require.NoError(t, sink.Close())
		require.True(t, bytes.Equal(want, f.onHost(t)), "%+v", f.Frames)
	}
}

// Floats equal Normalize's results for the bytes.
func TestFramesFloatsAreNormalized(t *testing.T) {
	f := randomFrames(seed.Rand(t))
	f.Scale = kernels.Scale{DType: spool.Uint8}
	pixels := f.onHost(t)
	n := kernels.Normalize{Samples: f.Frames.Frames, Height: f.Height, Width: f.Width, Channels: 3,
		Scale: kernels.Scale{DType: spool.BFloat16, Mean: mean, Std: std}}
	want := make([]byte, 2*len(pixels))
	require.NoError(t, n.OnHost(pixels, want))
	f.Scale = n.Scale
	assert.True(t, bytes.Equal(want, f.onHost(t)))
}

func TestFramesValidates(t *testing.T) {
	f := kernels.Frames{Frames: 0, Width: 1, Height: 1, SubX: 3, SubY: 1, Video: kernel.Video{Bits: 17, Chroma: 3},
		Scale: kernels.Scale{DType: spool.Uint8, Mean: mean}, LumaPitch: -1}
	err := f.Validate()
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, part := range []string{"0 frames", "SubX 3", "Bits of 17", "Chroma of 3", "negative distances of planes",
		"Mean or Std of uint8"} {
		assert.ErrorContains(t, err, part)
	}
	good := kernels.Frames{Frames: 1, Width: 3, Height: 3, SubX: 2, SubY: 2, Scale: kernels.Scale{DType: spool.Uint8}}
	u, v, size := good.Pack()
	assert.Equal(t, [3]int{9, 13, 17}, [3]int{u, v, size})
	planes := make([]byte, size)
	require.NoError(t, good.OnHost(planes, planes[u:], planes[v:], make([]byte, 27)))
	require.ErrorIs(t, good.OnHost(planes, planes[u:], planes[v+1:], make([]byte, 27)), spool.ErrShape)
	require.ErrorIs(t, good.OnHost(planes, planes[u:], planes[v:], make([]byte, 26)), spool.ErrShape)
}

// White and black of limited range, BT.709: 2x2 pixels that share one chroma sample.
func ExampleFrames() {
	f := kernels.Frames{Frames: 1, Width: 2, Height: 2, SubX: 2, SubY: 2,
		Video: kernel.Video{Matrix: kernel.BT709, Chroma: kernel.PairsUV},
		Scale: kernels.Scale{DType: spool.Uint8}}
	u, _, _ := f.Pack()
	nv12 := []byte{235, 16, 16, 235, 128, 128}
	out := make([]byte, 2*2*3)
	if err := f.OnHost(nv12, nv12[u:], nil, out); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out)
	// Output: [255 255 255 0 0 0 0 0 0 255 255 255]
}
