package main

import (
	"fmt"
	"strings"

	"github.com/spoolmedia/spool/decode"
)

// explain is how a picture was decoded, in one line of key=value.
func explain(r decode.ImageReport, s decode.ImageSpec) string {
	var line strings.Builder
	say := func(key string, value any) { fmt.Fprintf(&line, " %s=%v", key, value) }
	road, info := r.Road, r.Info
	say("lane", road.Lane)
	if road.Engine != "" {
		say("engine", road.Engine)
	}
	if road.Reason != "" {
		say("reason", road.Reason)
	}
	say("scale", scale(info, road))
	if road.Scale.Chroma > 0 {
		say("chroma", fmt.Sprintf("1/%d", road.Scale.Chroma))
	}
	say("format", info.Format)
	say("size", fmt.Sprintf("%dx%d", info.Width, info.Height))
	say("channels", info.Channels)
	say("bits", info.Bits)
	say("orientation", info.Orientation)
	say("frame", info.Frame)
	say("frames", info.Frames)
	say("profile", s.Resize.Profile)
	say("filter", s.Resize.Filter)
	say("scratch", road.Scratch)
	say("icc", road.Profile)
	say("shape", strings.ReplaceAll(r.Desc.Shape.String(), " ", ","))
	say("dtype", r.Desc.DType)
	say("layout", strings.ToLower(r.Desc.Layout.String()))
	say("fraction", r.Fraction)
	say("warnings", r.Warnings)
	if r.Warnings > 0 {
		say("warning", fmt.Sprintf("%q", r.Warning))
	}
	return strings.TrimPrefix(line.String(), " ")
}

// scale is the part of the picture's edges that were decoded, or of its luma's where planes were: 1/1, 1/2, ..., or the
// sizes where it is none of these.
func scale(i decode.ImageInfo, r decode.Road) string {
	if r.Scale.Luma > 0 {
		return fmt.Sprintf("1/%d", r.Scale.Luma)
	}
	for n := 1; n <= 16; n++ {
		if r.Width == (i.Width+n-1)/n && r.Height == (i.Height+n-1)/n {
			return fmt.Sprintf("1/%d", n)
		}
	}
	return fmt.Sprintf("%dx%d/%dx%d", r.Width, r.Height, i.Width, i.Height)
}
