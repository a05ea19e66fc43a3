package webp_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/stoptest"
)

// ended gives a call whose context has been cancelled.
func ended(t *testing.T) *call.Call {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	cancel()
	for c.Err() == nil {
		runtime.Gosched()
	}
	return c
}

func TestEndedContextStopsDecoding(t *testing.T) {
	c := ended(t)
	defer c.Leave()
	for _, name := range []string{"lossy.webp", "lossless.webp", "alpha.webp"} {
		data := read(t, name)
		h := header(t, data)
		to := newTarget(t, h, 3, 0, h.Height)
		report, err := webp.Decode(c, data, h, webp.Options{Sink: to.sink.Pointer()})
		assert.ErrorIs(t, err, spool.ErrCanceled, name)
		assert.ErrorIs(t, err, context.Canceled, name)
		assert.Zero(t, report.Rows, name)
		to.close(t)
	}
	data := read(t, "animated.webp")
	a, err := webp.OpenAnimation(data, header(t, data), 0)
	require.NoError(t, err)
	defer a.Close()
	_, err = a.Next(c, webp.Options{})
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

func TestCancelAtRandom(t *testing.T) {
	random := seed.Rand(t)
	data, want := read(t, "large.webp"), goldens(t)["large.webp"].RGB
	h := header(t, data)
	var finished, stopped int
	for round := range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		wait := time.Duration(random.IntN(2000)) * time.Microsecond
		timer := time.AfterFunc(wait, cancel)
		c, err := call.Enter(ctx, 1)
		if err != nil {
			continue
		}
		to := newTarget(t, h, 3, 0, h.Height)
		switch _, err := webp.Decode(c, data, h, webp.Options{Planes: to.inPlanes(t, h)}); err {
		case nil:
			finished++
			require.Equal(t, want, digest(to.pixels), "round %d", round)
		default:
			stopped++
			require.ErrorIs(t, err, context.Canceled, "round %d", round)
		}
		to.close(t)
		c.Leave()
		timer.Stop()
		cancel()
	}
	t.Logf("%d finished, %d stopped", finished, stopped)
}

// encoded is a picture of some size, between a photo and noise.
func encoded(t *testing.T, o webp.EncodeOptions) frameOf {
	t.Helper()
	const width, height = 600, 400
	random := rand.New(rand.NewPCG(7, 8))
	pixels := make([]byte, width*height*3)
	for i := range pixels {
		pixels[i] = byte(i/3%width*200/width + random.IntN(12))
	}
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	defer c.Leave()
	data, err := webp.Encode(c, pixels, width, height, 3, o)
	require.NoError(t, err)
	return frameOf{chunks: data[12:], width: width, height: height}
}

func TestStopsSoon(t *testing.T) {
	for name, o := range map[string]webp.EncodeOptions{"lossy": {Quality: 90}, "lossless": {Lossless: true}} {
		picture := encoded(t, o)
		still := chunk("RIFF", []byte("WEBP"), picture.chunks)
		film := animated(rand.New(rand.NewPCG(1, 1)), []frameOf{picture}, 1)
		t.Run(name, func(t *testing.T) { stopsSoon(t, still) })
		t.Run(name+" animation", func(t *testing.T) { stopsSoon(t, film) })
	}
}

func stopsSoon(t *testing.T, data []byte) {
	h := header(t, data)
	stoptest.Soon(t, func(looks int32) error {
		c, err := call.Enter(t.Context(), 1)
		require.NoError(t, err)
		defer c.Leave()
		*(*int32)(c.Flag()) = -looks
		if !h.Animated {
			to := newTarget(t, h, 3, 0, h.Height)
			defer to.close(t)
			_, err = webp.Decode(c, data, h, webp.Options{Sink: to.sink.Pointer()})
			return err
		}
		a, err := webp.OpenAnimation(data, h, 0)
		require.NoError(t, err)
		defer a.Close()
		_, err = a.Next(c, webp.Options{})
		return err
	})
}
