package ondevice_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	nvjpegfake "github.com/spoolmedia/spool/cbridge/nvjpeg/fake"
	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/ondevice"
	"github.com/spoolmedia/spool/resize"
)

// While the device is busy with two groups, other images wait and become one group. One whose caller gives up leaves.
func TestGroups(t *testing.T) {
	driver := fake.New(t, fake.Settings{})
	library := nvjpegfake.New(t, driver, nvjpegfake.Settings{Hardware: true})
	set := decodetest.New(t, decoders.Options{})
	d, err := ondevice.NewImages(set.Images, device.Options{Driver: driver.File, Library: library.File})
	require.NoError(t, err)
	data := decodetest.ReadFile(t, "../../testdata/photos/animal/00.jpg")
	spec := image.Spec{Resize: resize.Spec{Width: 20, Height: 16, FlipX: true}}
	want, _ := decodetest.Image(t, set, data, spec)

	const callers = 6
	errs := make(chan error, callers)
	decode := func(ctx context.Context) {
		s, pixels := spec, make([]byte, len(want))
		shown, ok, err := d.Decode(ctx, data, &s, pixels)
		if err == nil {
			assert.True(t, ok)
			assert.True(t, shown.FlipX)
			assert.Equal(t, want, pixels)
		}
		errs <- err
	}
	until := func(groups, waiting int) {
		require.Eventually(t, func() bool {
			g, w := d.State()
			return g == groups && w == waiting
		}, 2*time.Minute, time.Millisecond)
	}
	driver.Hold(0)
	for i := range 2 {
		go decode(t.Context())
		until(i+1, 0)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go decode(ctx)
	until(2, 1)
	cancel()
	require.ErrorIs(t, <-errs, context.Canceled)
	for i := range callers - 2 {
		go decode(t.Context())
		until(2, i+1)
	}
	driver.Go()
	for range callers {
		require.NoError(t, <-errs)
	}
	counters := library.Counters()
	assert.EqualValues(t, 3, counters.Batches)
	assert.EqualValues(t, callers, counters.Images)
	require.NoError(t, d.Close())
}
