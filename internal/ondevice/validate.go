package ondevice

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/resize"
)

// ValidateImages adds what of a spec excludes OnDevice.
func ValidateImages(bad *invalid.Options, s image.Spec) {
	validate(bad, s.Resize, s.Crops, s.Color, s.DType, s.Layout, s.Adjust != nil)
	if s.ICC {
		exclude(bad, invalid.Named("Spec.ICC"))
	}
}

// ValidateClips adds what of a spec excludes OnDevice.
func ValidateClips(bad *invalid.Options, s video.Spec) {
	validate(bad, s.Resize, s.Crops, s.Color, s.DType, s.Layout, s.Adjust != nil)
	if s.Filters != "" {
		exclude(bad, invalid.With("Spec.Filters", s.Filters))
	}
}

func validate(bad *invalid.Options, r resize.Spec, c resize.Crops, color decode.Color, d spool.DType, l spool.Layout,
	adjusts bool) {
	for _, x := range []struct {
		wrong bool
		what  []spool.Option
	}{
		{r.Mode == resize.Fit, invalid.With("Spec.Resize.Mode", r.Mode)},
		{r.Profile == resize.Fast, invalid.With("Spec.Resize.Profile", r.Profile)},
		{c != resize.OneCrop, invalid.With("Spec.Crops", c)},
		{color != decode.RGB, invalid.With("Spec.Color", color)},
		{d != spool.Uint8, invalid.With("Spec.DType", d)},
		{l != spool.Flat && l != spool.HWC, invalid.With("Spec.Layout", l)},
		{adjusts, invalid.Named("Ops", "Spec.Adjust")},
	} {
		if x.wrong {
			exclude(bad, x.what)
		}
	}
}

func exclude(bad *invalid.Options, what []spool.Option) {
	bad.Excludes(invalid.Named("OnDevice"), what, "a device makes RGB of uint8 and HWC, without padding or other changes")
}
