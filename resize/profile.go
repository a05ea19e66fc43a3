package resize

import (
	"fmt"
	"slices"
)

// Profile names whose pixels the result has.
type Profile uint8

const (
	// Exact is torchvision 0.29's v2.Resize(antialias=True) on uint8, byte for byte, for Bilinear and
	// Bicubic; the filters that torchvision does not have are Pillow's.
	Exact Profile = iota
	// Pillow is Pillow 13.0, byte for byte.
	Pillow
	// Fast is Exact for a decoder that may give a smaller picture to begin with, or its planes (PlanPlane), where
	// that costs less: on photos within a mean of 1 of Exact, and 38 dB. Of a file that brings smaller copies of its
	// picture (TIFF) this holds where they are averages of its pixels. Frames of video go by their planes, with the same
	// bound against Exact, which converts them at their own size by swscale first: clips of 340x256 to 224x224 have a mean
	// of 0.3 to 0.4 and 48 dB at least, and drawn ones with edges of pure colours, a few pixels small, up to 1.6.
	Fast
)

var profileNames = [...]string{"exact", "pillow", "fast"}

// String is the profile's name on the command line.
func (p Profile) String() string {
	if int(p) < len(profileNames) {
		return profileNames[p]
	}
	return fmt.Sprintf("Profile(%d)", uint8(p))
}

// MarshalText gives the profile's name.
func (p Profile) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText takes a profile's name.
func (p *Profile) UnmarshalText(text []byte) error {
	i := slices.Index(profileNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not one of %q", text, profileNames)
	}
	*p = Profile(i)
	return nil
}
