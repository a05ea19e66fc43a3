package encode

import (
	"context"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Stills returns the names of the encoders of AVIF that there are.
func Stills() (names []string) {
	for _, s := range stills {
		if slices.Contains(av.Encoders(av.Video, "avif"), s.name) {
			names = append(names, s.name)
		}
	}
	return names
}

// ImageBy is Image for AVIF, by the encoder with a name.
func ImageBy(ctx context.Context, name string, pixels []byte, d spool.Desc, o ImageOptions) ([]byte, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer c.Leave()
	channels := d.Shape[2]
	if channels == 1 {
		pixels, channels = grayToRGB(pixels), 3
	}
	i := slices.IndexFunc(stills[:], func(s still) bool { return s.name == name })
	return stills[i].encode(c, pixels, d.Shape[1], d.Shape[0], channels, o)
}
