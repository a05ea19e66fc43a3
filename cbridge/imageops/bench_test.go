package imageops_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/cbridge/imageops"
	"github.com/spoolmedia/spool/internal/seed"
)

// cpu returns the CPU time of this thread in nanoseconds. Unlike the time of the clock, it hardly depends on other
// work.
func cpu(b *testing.B) int64 {
	var t unix.Timespec
	require.NoError(b, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t))
	return t.Nano()
}

// Each kind of step on an image of 224x224 pixels: docs/augmentation.md has the table.
func BenchmarkStep(b *testing.B) {
	r := imageops.Raster{Pixels: make([]byte, 224*224*3), Width: 224, Height: 224, Channels: 3}
	for i, random := 0, seed.Rand(b); i < len(r.Pixels); i++ {
		r.Pixels[i] = byte(random.Uint32())
	}
	for _, c := range []struct {
		name string
		step augment.Step
	}{
		{"brightness", augment.Step{Kind: augment.StepBrightness, Value: 1.2}},
		{"contrast", augment.Step{Kind: augment.StepContrast, Value: 1.2}},
		{"saturation", augment.Step{Kind: augment.StepSaturation, Value: 1.2}},
		{"hue", augment.Step{Kind: augment.StepHue, Value: 0.1}},
		{"grayscale", augment.Step{Kind: augment.StepGrayscale}},
		{"solarize", augment.Step{Kind: augment.StepSolarize, Value: 128}},
		{"posterize", augment.Step{Kind: augment.StepPosterize, Size: 4}},
		{"invert", augment.Step{Kind: augment.StepInvert}},
		{"autocontrast", augment.Step{Kind: augment.StepAutocontrast}},
		{"equalize", augment.Step{Kind: augment.StepEqualize}},
		{"sharpness", augment.Step{Kind: augment.StepSharpness, Value: 2}},
		{"blur9", augment.Step{Kind: augment.StepBlur, Size: 9, Value: 1.5}},
		{"blur23", augment.Step{Kind: augment.StepBlur, Size: 23, Value: 1.5}},
		{"erase", augment.Step{Kind: augment.StepErase, Box: [4]int{40, 40, 80, 80}}},
		{"noise", augment.Step{Kind: augment.StepErase, Box: [4]int{40, 40, 80, 80}, Noise: [3]uint8{58, 57, 57}}},
		{"rotate", augment.Step{Kind: augment.StepAffine, Matrix: [6]float64{0.9, 0.1, 0, -0.1, 0.9, 0}}},
	} {
		steps := []augment.Step{c.step}
		scratch := make([]byte, imageops.ScratchBytes(steps, r.Width, r.Height, r.Channels))
		b.Run(c.name, func(b *testing.B) {
			image := r
			image.Pixels = slices.Clone(r.Pixels)
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			begun := cpu(b)
			for b.Loop() {
				if err := image.Apply(steps, scratch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpu(b)-begun)/1e3/float64(b.N), "cpu-us/op")
		})
	}
}
