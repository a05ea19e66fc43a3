package resize

import (
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Snap resizes to sides that are multiples of a number, with about the aspect ratio of the image, as vision-language
// models need it: it is smart_resize of Qwen2-VL. The zero value does nothing.
type Snap struct {
	// Multiple is what both sides are multiples of, at least once: each is rounded to the nearest one.
	Multiple int
	// MinPixels and MaxPixels bound the area of the result. An image that would be smaller or larger is scaled, and its
	// sides are then rounded up or down. 0 means no bound. The bound is exceeded where a side would be less than Multiple.
	MinPixels, MaxPixels int
}

// size returns the size of the result.
func (n Snap) size(width, height int) (outWidth, outHeight int) {
	w, h, factor := float64(width), float64(height), float64(n.Multiple)
	to := func(round func(float64) float64, x, y float64) {
		outWidth, outHeight = int(round(x/factor))*n.Multiple, int(round(y/factor))*n.Multiple
	}
	to(math.RoundToEven, w, h)
	switch area := outWidth * outHeight; {
	case n.MaxPixels > 0 && area > n.MaxPixels:
		scale := math.Sqrt(w * h / float64(n.MaxPixels))
		to(math.Floor, w/scale, h/scale)
	case area < n.MinPixels:
		scale := math.Sqrt(float64(n.MinPixels) / (w * h))
		to(math.Ceil, w*scale, h*scale)
	}
	return max(outWidth, n.Multiple), max(outHeight, n.Multiple)
}

// validate adds the problems of the settings in a spec.
func (n Snap) validate(s Spec, bad *invalid.Options) {
	if n == (Snap{}) {
		return
	}
	for _, x := range [...]struct {
		name  string
		value int
	}{{"Snap.Multiple", n.Multiple}, {"Snap.MinPixels", n.MinPixels}, {"Snap.MaxPixels", n.MaxPixels}} {
		switch {
		case x.value < 0:
			bad.Value(x.name, x.value, "must not be negative")
		case x.value > 0 && n.Multiple == 0:
			bad.Needs(invalid.Named(x.name), invalid.Named("Snap.Multiple"), "")
		}
	}
	if n.Multiple > MaxEdge {
		bad.Value("Snap.Multiple", n.Multiple, "must be at most %d", MaxEdge)
	}
	if n.MaxPixels > 0 && n.MinPixels > n.MaxPixels {
		bad.Values([]spool.Option{{Name: "Snap.MinPixels", Value: n.MinPixels}, {Name: "Snap.MaxPixels", Value: n.MaxPixels}},
			"must be in this order")
	}
	for _, x := range [...]struct {
		set   bool
		names []spool.Option
	}{{s.Width != 0 || s.Height != 0, resultSize()}, {s.Shorter != 0, invalid.Named("Shorter")},
		{s.MaxSize != 0, invalid.Named("MaxSize")}, {s.CropWidth != 0 || s.CropHeight != 0, cropSize()}} {
		if n.Multiple != 0 && x.set {
			bad.Excludes(invalid.Named("Snap.Multiple"), x.names, "set one of them")
		}
	}
}

// WithSize returns the spec for a result of a given size, in place of a size that depends on the image.
func (s Spec) WithSize(width, height int) Spec {
	s.Width, s.Height, s.Shorter, s.MaxSize, s.Snap = width, height, 0, 0, Snap{}
	return s
}
