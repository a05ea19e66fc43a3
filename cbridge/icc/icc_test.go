package icc_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/seed"
)

var profiles = map[string]struct {
	color    icc.Color
	converts bool
}{
	"srgb":       {icc.RGB, false},
	"display-p3": {icc.RGB, true},
	"adobe-rgb":  {icc.RGB, true},
	"prophoto":   {icc.RGB, true},
	"rgb-table":  {icc.RGB, true},
	"gray-1.8":   {icc.Gray, true},
	"gray-srgb":  {icc.Gray, false},
	"cmyk-table": {icc.CMYK, true},
}

// layouts are the channel counts of each color space.
var layouts = map[icc.Color][]int{icc.Gray: {1, 3, 4}, icc.RGB: {3, 4}, icc.CMYK: {4}}

// The pixels are within 2 levels of Pillow's ImageCms, recorded by testdata/gen.py.
func TestPixels(t *testing.T) {
	pixels, transforms := lanetest.Read(t, "pixels.bin"), newTransforms(t)
	for name, profile := range profiles {
		want := lanetest.Read(t, name+".rgb")
		for _, channels := range layouts[profile.color] {
			for _, bits := range []int{8, 16} {
				t.Run(fmt.Sprintf("%s, %d channels of %d bits", name, channels, bits), func(t *testing.T) {
					o := icc.Options{Color: profile.color, Channels: channels, Width: side, Bits: bits}
					in := rows(pixels, o)
					out, err := convert(t, enter(t), transforms, lanetest.Read(t, name+".icc"), in, o, 5)
					require.NoError(t, err)
					compare(t, pixels, want, out, o)
				})
			}
		}
	}
}

func compare(t *testing.T, pixels, want, out []byte, o icc.Options) {
	outputs := o.Channels
	if o.Color == icc.CMYK {
		outputs = 3
	}
	worst := 0
	for i := range side * side {
		for c := range outputs {
			at := (i*outputs + c) * o.Bits / 8
			got := int(out[at])
			if o.Bits == 16 {
				got = (int(out[at]) | int(out[at+1])<<8) / 256
			}
			if c == 3 {
				require.Equal(t, int(pixels[4*i+3]), got, "alpha of pixel %d", i)
				continue
			}
			worst = max(worst, got-int(want[3*i+c]), int(want[3*i+c])-got)
		}
	}
	t.Log("at most", worst, "levels from Pillow")
	assert.LessOrEqual(t, worst, 2)
}

// Only the columns that the next sink reads are converted.
func TestColumns(t *testing.T) {
	c, pixels, transforms := enter(t), lanetest.Read(t, "pixels.bin"), newTransforms(t)
	for name, profile := range profiles {
		o := icc.Options{Color: profile.color, Channels: layouts[profile.color][0], Width: side}
		in, outputs := rows(pixels, o), min(o.Channels, 3)
		whole, err := convert(t, c, transforms, lanetest.Read(t, name+".icc"), in, o, side)
		require.NoError(t, err)
		const left, width = 5, 20
		plan := kernel.Plan{Width: side, Height: side, Channels: outputs, Left: left, Right: left + width,
			H: kernel.Axis{In: width, Out: width}, V: kernel.Axis{In: side, Out: side},
			CanvasWidth: width, CanvasHeight: side, OutChannels: outputs, Layout: spool.HWC}
		out := make([]byte, width*side*outputs)
		next, err := kernel.NewSink(&plan, out, make([]byte, plan.ScratchBytes()))
		require.NoError(t, err)
		sink, err := transforms.NewSink(c, next.Pointer(), lanetest.Read(t, name+".icc"), o)
		require.NoError(t, err)
		_, err = sink.Push(in, side*o.Channels, side)
		require.NoError(t, err)
		require.NoError(t, sink.Close())
		require.NoError(t, next.Close())
		for y := range side {
			want := whole[(y*side+left)*outputs:][:width*outputs]
			require.Equal(t, want, out[y*width*outputs:][:width*outputs], "%s, row %d", name, y)
		}
	}
}

func TestWhatIsConverted(t *testing.T) {
	c := enter(t)
	for name, profile := range profiles {
		for _, channels := range layouts[profile.color] {
			for _, bits := range []int{8, 16} {
				next, _ := keep(t, 96)
				sink, err := newTransforms(t).NewSink(c, next.Pointer(), lanetest.Read(t, name+".icc"),
					icc.Options{Color: profile.color, Channels: channels, Width: side, Bits: bits})
				require.NoError(t, err)
				assert.Equal(t, profile.converts, sink.Converts(), "%s in %d channels of %d bits", name, channels, bits)
				if profile.converts {
					assert.Greater(t, sink.Bytes(), int64(2000), name)
					assert.Less(t, sink.Bytes(), int64(4<<20), name)
					t.Logf("%s in %d channels of %d bits: %d bytes", name, channels, bits, sink.Bytes())
				} else {
					assert.Equal(t, next.Pointer(), sink.Pointer(), name)
					assert.Zero(t, sink.Bytes(), name)
				}
				first, last := sink.Wanted()
				assert.Equal(t, [2]int{0, side}, [2]int{first, last})
				require.NoError(t, sink.Close())
				require.NoError(t, sink.Close())
				_, err = sink.Push(nil, 0, 0)
				assert.ErrorIs(t, err, spool.ErrClosed)
			}
		}
	}
}

func TestProfilesThatDoNotFit(t *testing.T) {
	next, _ := keep(t, 96)
	c := enter(t)
	for name, profile := range profiles {
		for _, color := range []icc.Color{icc.Gray, icc.RGB, icc.CMYK} {
			if color == profile.color {
				continue
			}
			_, err := newTransforms(t).NewSink(c, next.Pointer(), lanetest.Read(t, name+".icc"),
				icc.Options{Color: color, Channels: 4, Width: 24})
			assert.ErrorIs(t, err, spool.ErrUnsupported, "%s for color %d", name, color)
		}
	}
	link := lanetest.Read(t, "display-p3.icc")
	copy(link[12:], "link")
	_, err := newTransforms(t).NewSink(c, next.Pointer(), link, icc.Options{Color: icc.RGB, Channels: 3, Width: side})
	assert.ErrorIs(t, err, spool.ErrUnsupported)
}

func TestLimits(t *testing.T) {
	next, _ := keep(t, 96)
	c, transforms := enter(t), newTransforms(t)
	profile := lanetest.Read(t, "cmyk-table.icc")
	o := icc.Options{Color: icc.CMYK, Channels: 4, Width: side, MaxProfile: len(profile) - 1}
	_, err := newTransforms(t).NewSink(c, next.Pointer(), profile, o)
	assert.ErrorIs(t, err, spool.ErrTooLarge)
	assert.ErrorContains(t, err, fmt.Sprint(len(profile)))
	o.MaxProfile = 0
	for limit := int64(1); ; limit *= 3 {
		o.MaxMemory = limit
		sink, err := transforms.NewSink(c, next.Pointer(), profile, o)
		if err == nil {
			assert.Greater(t, limit, int64(100_000))
			require.NoError(t, sink.Close())
			return
		}
		require.ErrorIs(t, err, spool.ErrTooLarge)
		assert.Zero(t, icc.InUse(), limit)
	}
}

func TestWrongUse(t *testing.T) {
	next, _ := keep(t, 96)
	c := enter(t)
	for what, o := range map[string]icc.Options{
		"nothing":            {},
		"no width":           {Color: icc.RGB, Channels: 3},
		"12 bits":            {Color: icc.RGB, Channels: 3, Width: 1, Bits: 12},
		"RGB in one channel": {Color: icc.RGB, Channels: 1, Width: 1},
		"CMYK in three":      {Color: icc.CMYK, Channels: 3, Width: 1},
		"gray in two":        {Color: icc.Gray, Channels: 2, Width: 1},
		"an unknown color":   {Color: icc.CMYK + 1, Channels: 4, Width: 1},
		"a negative limit":   {Color: icc.RGB, Channels: 3, Width: 1, MaxMemory: -1},
		"too wide":           {Color: icc.RGB, Channels: 3, Width: 1 << 40},
	} {
		_, err := newTransforms(t).NewSink(c, next.Pointer(), lanetest.Read(t, "srgb.icc"), o)
		assert.ErrorIs(t, err, spool.ErrOptions, what)
	}
	_, err := newTransforms(t).NewSink(c, next.Pointer(), nil, icc.Options{Color: icc.CMYK, Channels: 9, Bits: 7})
	assert.ErrorContains(t, err, "9 channels")
	assert.ErrorContains(t, err, "7 bits", "all problems at once")

	sink, err := newTransforms(t).NewSink(c, next.Pointer(), lanetest.Read(t, "adobe-rgb.icc"),
		icc.Options{Color: icc.RGB, Channels: 3, Width: side})
	require.NoError(t, err)
	defer sink.Close()
	for _, n := range []int{-1, 2, 1 << 40} {
		_, err = sink.Push(make([]byte, 2*96-1), 96, n)
		assert.ErrorIs(t, err, spool.ErrShape)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	defer c.Leave()
	cancel()
	for c.Err() == nil {
		runtime.Gosched()
	}
	next, _ := keep(t, 96)
	_, err = newTransforms(t).NewSink(c, next.Pointer(), lanetest.Read(t, "srgb.icc"),
		icc.Options{Color: icc.RGB, Channels: 3, Width: side})
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

// A truncated or changed profile is rejected with a class, or used as it is.
func TestDamagedProfiles(t *testing.T) {
	random := seed.Rand(t)
	pixels, c := lanetest.Read(t, "pixels.bin"), enter(t)
	for name, profile := range profiles {
		whole := lanetest.Read(t, name+".icc")
		o := icc.Options{Color: profile.color, Channels: 4, Width: side}
		in := rows(pixels, o)[:4*side]
		try := func(data []byte) {
			next, _ := keep(t, 3*side)
			var transforms icc.Transforms
			defer transforms.Close()
			sink, err := transforms.NewSink(c, next.Pointer(), data,
				icc.Options{Color: o.Color, Channels: 4, Width: side / 4 * 3})
			if err != nil {
				require.NotEmpty(t, spool.ClassOf(err), "%v", err)
				return
			}
			_, err = sink.Push(in, len(in), 1)
			require.NoError(t, err)
			require.NoError(t, sink.Close())
		}
		for n := 0; n < len(whole); n += 31 {
			try(whole[:n])
		}
		for range 20 {
			data := append([]byte(nil), whole...)
			for range 1 + random.IntN(4) {
				data[random.IntN(len(data))] = byte(random.Uint32())
			}
			try(data)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	pixels := lanetest.Read(t, "pixels.bin")
	o := icc.Options{Color: icc.RGB, Channels: 3, Width: side}
	in, profile := rows(pixels, o), lanetest.Read(t, "adobe-rgb.icc")
	transforms := newTransforms(t)
	want, err := convert(t, enter(t), transforms, profile, in, o, side)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c, err := call.Enter(t.Context(), 1)
			if !assert.NoError(t, err) {
				return
			}
			defer c.Leave()
			for range 20 {
				got, err := convert(t, c, transforms, profile, in, o, 7)
				assert.NoError(t, err)
				assert.Equal(t, want, got)
			}
		})
	}
	wg.Wait()
}

// A transform is created once, and the cache has a limit. A sink keeps its transform until it is closed.
func TestTransformsAreKept(t *testing.T) {
	c, transforms := enter(t), newTransforms(t)
	next, _ := keep(t, 96)
	profile := lanetest.Read(t, "adobe-rgb.icc")
	o := icc.Options{Color: icc.RGB, Channels: 3, Width: side}
	open := func(profile []byte) *icc.Sink {
		sink, err := transforms.NewSink(c, next.Pointer(), profile, o)
		require.NoError(t, err)
		return sink
	}
	first := open(profile)
	one := icc.InUse()
	second := open(profile)
	assert.Equal(t, one, icc.InUse(), "the same transform twice")
	require.NoError(t, second.Close())
	assert.Equal(t, one, icc.InUse(), "not kept")

	for i := range 40 { // profiles that differ in an unused field
		other := append([]byte(nil), profile...)
		other[48] = byte(i + 1)
		require.NoError(t, open(other).Close())
	}
	assert.Equal(t, 17*one, icc.InUse(), "16 kept, and one in use")
	require.NoError(t, transforms.Close())
	assert.Equal(t, one, icc.InUse())
	_, err := first.Push(lanetest.Read(t, "pixels.bin"), 96, 1)
	require.NoError(t, err)
	require.NoError(t, first.Close())
	assert.Zero(t, icc.InUse())
}

func TestVersion(t *testing.T) { assert.Regexp(t, `^2\.\d+$`, icc.Version()) }
