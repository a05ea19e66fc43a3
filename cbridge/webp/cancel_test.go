package webp_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/stoptest"
)

func TestEndedContextStopsAnimations(t *testing.T) {
	data := lanetest.Read(t, "animated.webp")
	a, err := webp.OpenAnimation(data, header(t, data), 0)
	require.NoError(t, err)
	defer a.Close()
	_, err = a.Next(lanetest.Ended(t, false), webp.Options{})
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

// encoded returns an encoded image of medium size, between a photo and noise.
func encoded(t *testing.T, o webp.EncodeOptions) frameOf {
	t.Helper()
	const width, height = 600, 400
	random := rand.New(rand.NewPCG(7, 8))
	pixels := make([]byte, width*height*3)
	for i := range pixels {
		pixels[i] = byte(i/3%width*200/width + random.IntN(12))
	}
	data, err := lanetest.Within(t, 0,
		func(c *call.Call) ([]byte, error) { return webp.Encode(c, pixels, width, height, 3, o) })
	require.NoError(t, err)
	return frameOf{chunks: data[12:], width: width, height: height}
}

func TestStopsSoon(t *testing.T) {
	for name, o := range map[string]webp.EncodeOptions{"lossy": {Quality: 90}, "lossless": {Lossless: true}} {
		image := encoded(t, o)
		still := chunk("RIFF", []byte("WEBP"), image.chunks)
		animation := animated(rand.New(rand.NewPCG(1, 1)), []frameOf{image}, 1)
		t.Run(name, func(t *testing.T) { stopsSoon(t, still) })
		t.Run(name+" animation", func(t *testing.T) { stopsSoon(t, animation) })
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
			_, err = webp.Decode(c, data, h, webp.Options{Sink: to.Sink.Pointer()})
			return err
		}
		a, err := webp.OpenAnimation(data, h, 0)
		require.NoError(t, err)
		defer a.Close()
		_, err = a.Next(c, webp.Options{})
		return err
	})
}
