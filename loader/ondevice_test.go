package loader_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
	nvjpegfake "github.com/spoolmedia/spool/cbridge/nvjpeg/fake"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// loaded is what a loader delivers: pixels and samples of each batch, without what only the host's decoders report.
func loaded(t *testing.T, src source.Source, o loader.ImageOptions) (pixels [][]byte, samples []batch.Sample,
	counts device.Counts) {
	t.Helper()
	l, err := loader.Images(src, o)
	require.NoError(t, err)
	for b, err := range l.Batches(t.Context()) {
		require.NoError(t, err)
		pixels = append(pixels, bytes.Clone(b.Bytes()))
		for _, s := range b.Samples {
			s.Warning, s.Warnings = "", 0
			samples = append(samples, s)
		}
		b.Release()
	}
	counts = l.OnDevice()
	require.NoError(t, l.Close())
	return pixels, samples, counts
}

// The simulated nvJPEG has the host's pixels. So batches are those of the host: good and bad files, in order, with
// random crops, in the middle of a run. The host decodes what nvJPEG does not take.
func TestImagesDecodedOnTheDevice(t *testing.T) {
	driver := fake.New(t, fake.Settings{DelayMicros: 100})
	library := nvjpegfake.New(t, driver, nvjpegfake.Settings{Hardware: true})
	names, err := filepath.Glob("../testdata/hard/*/*")
	require.NoError(t, err)
	photos, err := filepath.Glob("../testdata/photos/*/*.jpg")
	require.NoError(t, err)
	src, err := source.Open(t.Context(), short.Some(append(names, photos...), 2), source.Options{})
	require.NoError(t, err)
	for name, o := range map[string]loader.ImageOptions{
		"stretched": {Spec: image.Spec{Resize: resize.Spec{Width: 40, Height: 24}}},
		"cropped": {Spec: image.Spec{Resize: resize.Spec{Shorter: 48, CropWidth: 32, CropHeight: 32,
			Filter: resize.Bicubic}}},
		"trained": {Spec: image.Spec{Resize: resize.Spec{Width: 32, Height: 32}},
			Augment: resize.Augment{ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5, FlipY: 0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			o.Options = loader.Options{Batch: 5, Shuffle: true, Epochs: 2, Seed: 3}
			want, samples, none := loaded(t, src, o)
			assert.Zero(t, none)
			o.OnDevice = &device.Options{Driver: driver.File, Library: library.File}
			got, same, counts := loaded(t, src, o)
			assert.Equal(t, want, got)
			assert.Equal(t, samples, same)
			assert.Greater(t, counts.Device, short.Of(int64(50), 25))
			assert.LessOrEqual(t, counts.Device, int64(len(samples)))
		})
	}
	assert.Positive(t, driver.Counters().ToHostBytes)
}

const executionFailed nvjpeg.Status = 6 // of the device, not of an image

// An image that nvJPEG refuses is decoded by the host. If the device fails, the samples of that group are bad, and the
// run goes on.
func TestFailuresOnTheDevice(t *testing.T) {
	driver := fake.New(t, fake.Settings{})
	library := nvjpegfake.New(t, driver, nvjpegfake.Settings{Hardware: true})
	const photos = "../testdata/photos"
	folders := short.Of([]string{photos}, []string{photos + "/animal", photos + "/landscape", photos + "/object"})
	src, err := source.Open(t.Context(), folders, source.Options{})
	require.NoError(t, err)
	o := loader.ImageOptions{Spec: image.Spec{Resize: resize.Spec{Width: 8, Height: 8}}, Options: loader.Options{Batch: 7}}
	want, _, _ := loaded(t, src, o)
	o.OnDevice = &device.Options{Driver: driver.File, Library: library.File}
	refused, failed := int64(0), 0
	for call := 1; call < 60; call += short.Of(4, 8) {
		for _, status := range []nvjpeg.Status{nvjpeg.BadJPEG, executionFailed} {
			library.Reset(t, nvjpegfake.Settings{Hardware: true, FailCall: call, FailStatus: int(status)})
			l, err := loader.Images(src, o)
			if err != nil {
				continue // the call was one that opens nvJPEG
			}
			var got [][]byte
			n := 0
			for b, err := range l.Batches(t.Context()) {
				require.NoError(t, err)
				got = append(got, bytes.Clone(b.Bytes()))
				n += b.Len()
				b.Release()
			}
			assert.Equal(t, src.Len(), n+int(l.Report().Failures))
			if status == nvjpeg.BadJPEG {
				assert.Equal(t, want, got, "call %d", call)
				refused += l.OnDevice().Host[device.HostRefused.String()]
			} else {
				failed += int(l.Report().Failures)
			}
			require.NoError(t, l.Close())
		}
	}
	assert.Positive(t, refused)
	assert.Positive(t, failed)
	o.OnDevice.Device = "cuda:7"
	_, err = loader.Images(src, o)
	require.ErrorIs(t, err, spool.ErrDevice)
}

// Specs that a device does not make are refused before a device is opened.
func TestOnDeviceRefuses(t *testing.T) {
	sized := resize.Spec{Width: 8, Height: 8}
	fit, fast := sized, sized
	fit.Mode, fast.Profile = resize.Fit, resize.Fast
	for name, spec := range map[string]image.Spec{
		"Spec.Resize.Mode": {Resize: fit}, "Spec.Resize.Profile": {Resize: fast},
		"Spec.Color": {Resize: sized, Color: decode.Gray}, "Spec.DType": {Resize: sized, DType: spool.Float32},
		"Spec.Layout": {Resize: sized, Layout: spool.CHW}, "Spec.ICC": {Resize: sized, ICC: true},
	} {
		err := loader.ImageOptions{Spec: spec, OnDevice: &device.Options{}}.Validate()
		require.ErrorIs(t, err, spool.ErrOptions)
		assert.ErrorContains(t, err, "OnDevice excludes "+name)
	}
	err := loader.VideoOptions{Spec: video.Spec{Filters: "hflip"}, Every: 4, OnDevice: &video.DeviceOptions{}}.Validate()
	require.ErrorIs(t, err, spool.ErrOptions)
	assert.ErrorContains(t, err, "Spec.Filters")
	assert.ErrorContains(t, err, "Every excludes OnDevice")
}
