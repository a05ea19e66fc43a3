package webp_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

// frame composes the next frame and returns the rows [top, bottom) of the canvas.
func frame(t testing.TB, a *webp.Animation, h webp.Header, top, bottom int) ([]byte, error) {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	defer c.Leave()
	to := newTarget(t, h, 4, top, bottom)
	defer to.close(t)
	report, err := a.Next(c, webp.Options{Sink: to.Sink.Pointer()})
	if err == nil {
		assert.Equal(t, webp.Report{Rows: bottom - top, Fraction: 1}, report)
	}
	return to.Pixels, err
}

func TestFramesArePillows(t *testing.T) {
	animations := 0
	for name, want := range lanetest.Goldens[golden](t) {
		if want.Frames == nil {
			continue
		}
		animations++
		data := lanetest.Read(t, name)
		h := header(t, data)
		require.Equal(t, len(want.Frames), h.Frames)
		for _, top := range []int{0, h.Height / 3} {
			a, err := webp.OpenAnimation(data, h, 0)
			require.NoError(t, err)
			for i := range want.Frames {
				pixels, err := frame(t, a, h, top, h.Height)
				require.NoError(t, err)
				if top == 0 {
					assert.Equal(t, want.Frames[i], lanetest.Digest(pixels), "%s, frame %d", name, i)
				}
			}
			_, err = frame(t, a, h, 0, h.Height)
			assert.ErrorIs(t, err, spool.ErrNoSuchFrame)
			require.NoError(t, a.Close())
			require.NoError(t, a.Close())
			_, err = a.Next(nil, webp.Options{})
			assert.ErrorIs(t, err, spool.ErrClosed)
		}
	}
	assert.Equal(t, 3, animations)
}

func TestFramesThatAreOnlyComposed(t *testing.T) {
	data := lanetest.Read(t, "animated_alpha.webp")
	h := header(t, data)
	a, err := webp.OpenAnimation(data, h, 0)
	require.NoError(t, err)
	defer a.Close()
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	for range h.Frames - 1 {
		report, err := a.Next(c, webp.Options{})
		require.NoError(t, err)
		assert.Zero(t, report.Rows)
	}
	c.Leave()
	pixels, err := frame(t, a, h, 0, h.Height)
	require.NoError(t, err)
	assert.Equal(t, lanetest.Goldens[golden](t)["animated_alpha.webp"].Frames[h.Frames-1], lanetest.Digest(pixels))
}

func TestAnimationsThatAreNone(t *testing.T) {
	data := lanetest.Read(t, "lossy.webp")
	_, err := webp.OpenAnimation(data, header(t, data), 0)
	assert.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = webp.OpenAnimation(nil, webp.Header{}, 0)
	assert.ErrorIs(t, err, spool.ErrEmpty)
	data = lanetest.Read(t, "animated.webp")
	_, err = run(t, data, header(t, data), webp.Options{})
	assert.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = webp.OpenAnimation(data, header(t, data), 1000)
	assert.ErrorIs(t, err, spool.ErrTooLarge)
}

func TestDamagedAnimations(t *testing.T) {
	data := lanetest.Read(t, "animated_lossless.webp")
	whole := header(t, data)
	for n := range data {
		h, err := webp.ReadHeader(data[:n])
		switch {
		case n == 0:
			require.ErrorIs(t, err, spool.ErrEmpty)
		case err != nil:
			require.ErrorIs(t, err, spool.ErrTruncated, "cut to %d bytes", n)
		default:
			require.LessOrEqual(t, h.Frames, whole.Frames)
			_, err = webp.OpenAnimation(data[:n], h, 0)
			require.ErrorIs(t, err, spool.ErrTruncated, "cut to %d bytes", n)
		}
	}
	for at := 100; at < len(data); at += 11 { // usually within the pixels of a frame
		spoiled := append([]byte(nil), data...)
		for i := at; i < min(at+40, len(data)); i++ {
			spoiled[i] ^= 0x5A
		}
		h, err := webp.ReadHeader(spoiled)
		if err != nil {
			requireClass(t, err)
			continue
		}
		a, err := webp.OpenAnimation(spoiled, h, 64<<20)
		if err != nil {
			requireClass(t, err)
			continue
		}
		for err == nil {
			_, err = frame(t, a, h, 0, h.Height)
		}
		requireClass(t, err)
		_, err = frame(t, a, h, 0, h.Height)
		require.ErrorIs(t, err, spool.ErrNoSuchFrame, "there is nothing after an error")
		require.NoError(t, a.Close())
	}
}

func TestForgottenAnimationsAreFreed(t *testing.T) {
	data := lanetest.Read(t, "animated.webp")
	before := leaktest.Settled(mem.InUse)
	for range 10 {
		_, err := webp.OpenAnimation(data, header(t, data), 0)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { runtime.GC(); return mem.InUse() == before }, time.Minute, time.Millisecond)
}
