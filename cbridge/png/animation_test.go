package png_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func open(t testing.TB, data []byte) *png.Animation {
	t.Helper()
	a, err := png.OpenAnimation(data, 0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	return a
}

// next runs Animation.Next in its own call.
func next(t testing.TB, a *png.Animation, o png.Options) (png.Report, error) {
	t.Helper()
	return lanetest.Within(t, 0, func(c *call.Call) (png.Report, error) { return a.Next(c, o) })
}

func TestFramesArePillows(t *testing.T) {
	compared := 0
	for name, want := range lanetest.Goldens[golden](t) {
		if len(want.Frames) == 0 {
			continue
		}
		data := lanetest.Read(t, name)
		a := open(t, data)
		dst := make([]byte, want.Width*want.Height*4)
		for i, frame := range want.Frames {
			report, err := next(t, a, png.Options{Channels: 4, Dst: dst})
			require.NoError(t, err, "%s: frame %d", name, i)
			assert.Equal(t, frame, lanetest.Digest(dst), "%s: frame %d", name, i)
			assert.Equal(t, want.Height, report.Rows)
			compared++
		}
		_, err := next(t, a, png.Options{Channels: 4, Dst: dst})
		assert.ErrorIs(t, err, spool.ErrNoSuchFrame)
	}
	assert.Greater(t, compared, 250)
}

// Fewer channels give the same frames: without alpha, and one channel for gray images.
func TestFramesInFewerChannels(t *testing.T) {
	var gray, color int
	for name, want := range lanetest.Goldens[golden](t) {
		if len(want.Frames) == 0 {
			continue
		}
		data := lanetest.Read(t, name)
		h, err := png.ReadHeader(data)
		require.NoError(t, err)
		pixels := want.Width * want.Height
		one, three, four := open(t, data), open(t, data), open(t, data)
		rgba, rgb, luma := make([]byte, 4*pixels), make([]byte, 3*pixels), make([]byte, pixels)
		for i := range want.Frames {
			_, err := next(t, four, png.Options{Channels: 4, Dst: rgba})
			require.NoError(t, err, "%s: frame %d", name, i)
			_, err = next(t, three, png.Options{Channels: 3, Dst: rgb})
			require.NoError(t, err, "%s: frame %d", name, i)
			for at := range pixels {
				require.Equal(t, rgba[4*at:][:3], rgb[3*at:][:3], "%s: frame %d", name, i)
			}
			if h.Channels() > 2 {
				_, err = next(t, one, png.Options{Channels: 1, Dst: luma})
				require.ErrorIs(t, err, spool.ErrShape, "%s: frame %d", name, i)
				color++
				continue
			}
			_, err = next(t, one, png.Options{Channels: 1, Dst: luma})
			require.NoError(t, err, "%s: frame %d", name, i)
			for at := range pixels {
				require.Equal(t, rgba[4*at], luma[at], "%s: frame %d", name, i)
			}
			gray++
		}
	}
	assert.Greater(t, gray, 100)
	assert.Greater(t, color, 100)
}

// A frame is the same whether earlier frames were delivered or only composed, in whole or in part.
func TestFramesThatAreNotDelivered(t *testing.T) {
	data := lanetest.Read(t, "apng_rgba8.png")
	all := open(t, data)
	some := open(t, data)
	for i := range 10 {
		rgb, part := make([]byte, 24*18*3), make([]byte, 24*5*3)
		_, err := next(t, all, png.Options{Dst: rgb})
		require.NoError(t, err)
		if i%3 < 2 {
			report, err := next(t, some, png.Options{})
			require.NoError(t, err)
			assert.Zero(t, report.Rows)
			continue
		}
		report, err := next(t, some, png.Options{Dst: part, First: 9, Last: 14})
		require.NoError(t, err)
		assert.Equal(t, 5, report.Rows)
		assert.Equal(t, rgb[24*9*3:24*14*3], part)
	}
}

func TestFirstFrameIsTheImage(t *testing.T) {
	for name, want := range lanetest.Goldens[golden](t) {
		if len(want.Frames) == 0 {
			continue
		}
		a := open(t, lanetest.Read(t, name))
		rgb := make([]byte, want.Width*want.Height*3)
		_, err := next(t, a, png.Options{Dst: rgb})
		require.NoError(t, err)
		assert.Equal(t, want.RGB, lanetest.Digest(rgb), name)
	}
}

func TestAnimationIsClosed(t *testing.T) {
	a := open(t, lanetest.Read(t, "apng_rgb8.png"))
	assert.Greater(t, mem.Stats()[mem.Scratch].Bytes, int64(2*24*18*3))
	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
	_, err := next(t, a, png.Options{})
	assert.ErrorIs(t, err, spool.ErrClosed)
}

func TestForgottenAnimationIsFreed(t *testing.T) {
	before := leaktest.Settled(mem.InUse)
	func() {
		_, err := png.OpenAnimation(lanetest.Read(t, "apng_rgb8.png"), 0)
		require.NoError(t, err)
	}()
	require.Eventually(t, func() bool { runtime.GC(); return mem.InUse() == before }, time.Minute, time.Millisecond)
}

func TestAnimationIsLimited(t *testing.T) {
	_, err := png.OpenAnimation(lanetest.Read(t, "apng_rgb8.png"), 2*24*18*3)
	assert.ErrorIs(t, err, spool.ErrTooLarge)
	_, err = png.OpenAnimation(nil, 0)
	assert.ErrorIs(t, err, spool.ErrEmpty)
	_, err = png.OpenAnimation([]byte("text"), 0)
	assert.ErrorIs(t, err, spool.ErrNotMedia)
}

func TestFramesHaveEightBits(t *testing.T) {
	a := open(t, lanetest.Read(t, "apng_rgba16.png"))
	_, err := next(t, a, png.Options{Bits: 16, Channels: 4, Dst: make([]byte, 24*18*8)})
	assert.ErrorIs(t, err, spool.ErrShape)
	_, err = next(t, a, png.Options{Channels: 5})
	assert.ErrorIs(t, err, spool.ErrOptions)
}
