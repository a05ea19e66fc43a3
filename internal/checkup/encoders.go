package checkup

import (
	"slices"

	"github.com/spoolmedia/spool/cbridge/av"
)

// codec is a codec of video or audio, with FFmpeg's encoders for it.
type codec struct {
	name     string
	encoders []string
}

// codecs are those that files are usually written in.
var codecs = []codec{
	{"h264", []string{"libx264", "libopenh264"}}, {"hevc", []string{"libx265", "libkvazaar"}},
	{"vp9", []string{"libvpx-vp9"}}, {"av1", []string{"libsvtav1", "libaom-av1", "librav1e"}},
	{"mpeg4", []string{"mpeg4"}}, {"mjpeg", []string{"mjpeg"}}, {"ffv1", []string{"ffv1"}},
	{"aac", []string{"aac"}}, {"flac", []string{"flac"}}, {"opus", []string{"libopus"}},
	{"vorbis", []string{"libvorbis"}}, {"mp3", []string{"libmp3lame"}},
}

// findEncoders reports whether each of codecs can be written, and what is missing for those that cannot.
func findEncoders(here []string) (can map[string]bool, missing []Missing) {
	can = map[string]bool{}
	for _, c := range codecs {
		can[c.name] = slices.ContainsFunc(c.encoders, func(name string) bool { return slices.Contains(here, name) })
		if !can[c.name] {
			missing = append(missing, lacking("an FFmpeg that encodes "+c.name, "files written in "+c.name, "libavcodec59"))
		}
	}
	return can, missing
}

// encoders returns the names of all encoders of FFmpeg for video and audio.
func encoders() []string {
	return append(av.Encoders(av.Video, ""), av.Encoders(av.Audio, "")...)
}
