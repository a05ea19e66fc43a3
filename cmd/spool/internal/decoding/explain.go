package decoding

import (
	"fmt"
	"strings"

	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
)

// explain returns how an image was decoded, in one line of key=value.
func explain(r image.Report, s image.Spec) string {
	var line strings.Builder
	say := func(key string, value any) { fmt.Fprintf(&line, " %s=%v", key, value) }
	trace, info := r.Trace, r.Info
	say("lane", trace.Lane)
	if trace.Engine != "" {
		say("engine", trace.Engine)
	}
	if trace.Reason != "" {
		say("reason", trace.Reason)
	}
	say("scale", scale(info, trace))
	if trace.Scale.Chroma > 0 {
		say("chroma", fmt.Sprintf("1/%d", trace.Scale.Chroma))
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
	say("scratch", trace.Scratch)
	say("icc", trace.Profile)
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

// scale returns the scale at which the image, or the luma plane if planes were decoded, was decoded: 1/1, 1/2, ..., or
// both sizes if it is none of these.
func scale(i image.Info, r image.Trace) string {
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

// explainVideo returns how frames of a video were decoded, in one line of key=value.
func explainVideo(v *video.Video, t *frameWriter, s video.Spec) string {
	i := v.Info()
	var line strings.Builder
	say := func(key string, value any) { fmt.Fprintf(&line, " %s=%v", key, value) }
	say("lane", "video")
	say("codec", i.Codec)
	say("stream", i.Stream)
	say("format", i.Format)
	say("size", fmt.Sprintf("%dx%d", i.Width, i.Height))
	say("pix_fmt", i.PixelFormat)
	say("rotation", i.Rotation)
	say("frames", i.Frames)
	index := "scanned"
	if i.Saved {
		index = "saved"
	}
	say("index", index)
	if f := v.Fetched(); f.Size > 0 {
		say("bytes_fetched", f.Bytes)
		say("bytes_file", f.Size)
		say("requests", f.Requests)
	}
	if err := v.Fallback(); err != nil {
		say("fallback", fmt.Sprintf("%q", err))
	}
	say("profile", s.Resize.Profile)
	say("filter", s.Resize.Filter)
	say("read", t.work.Read)
	say("decoded", t.work.Decoded)
	say("skipped", t.work.Skipped)
	say("seeks", t.work.Seeks)
	say("damaged_packets", t.damaged)
	say("whole", t.state[video.Whole])
	say("damaged", t.state[video.Damaged])
	say("repeated", t.state[video.Repeated])
	say("missing", t.state[video.Missing])
	if s.Planes != video.Converted {
		levels := "limited"
		if t.stored.Full {
			levels = "full"
		}
		say("planes", t.stored.PixelFormat)
		say("bits", t.stored.Bits)
		say("matrix", t.stored.Matrix)
		say("range", levels)
	}
	say("shape", strings.ReplaceAll(t.desc.Shape.String(), " ", ","))
	say("dtype", t.desc.DType)
	say("layout", strings.ToLower(t.desc.Layout.String()))
	return strings.TrimPrefix(line.String(), " ")
}

// explainAudio returns how audio was decoded, in one line of key=value.
func explainAudio(i audio.Info, trace audio.Trace, r audio.Report, s audio.Spec) string {
	var line strings.Builder
	say := func(key string, value any) { fmt.Fprintf(&line, " %s=%v", key, value) }
	say("lane", "audio")
	say("engine", trace.Engine)
	if trace.Reason != "" {
		say("reason", trace.Reason)
	}
	say("codec", i.Codec)
	say("stream", i.Stream)
	say("format", i.Format)
	say("rate", i.Rate)
	say("channels", i.Channels)
	say("samples", i.Samples)
	say("quality", s.Quality)
	say("out_rate", r.Rate)
	say("first", r.First)
	say("out_samples", r.Samples)
	say("damaged_packets", len(r.Damage))
	say("shape", strings.ReplaceAll(r.Desc.Shape.String(), " ", ","))
	say("dtype", r.Desc.DType)
	say("layout", strings.ToLower(r.Desc.Layout.String()))
	return strings.TrimPrefix(line.String(), " ")
}
