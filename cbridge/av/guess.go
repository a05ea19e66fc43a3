package av

import "strings"

// certain is the score from which FFmpeg's detected format is trusted. It equals FFmpeg's AVPROBE_SCORE_EXTENSION, the
// score of a matching file name extension.
const certain = 50

// guess is FFmpeg's detected format: its names of the format, and a score from 0 to 100.
type guess struct {
	format string
	score  int
}

// believes reports whether a stream is likely to be real. Noise is detected as audio of rare formats, and as video
// without a container, which has no frame rate.
func (g guess) believes(s Stream) bool {
	const doubtful = 25 // AVPROBE_SCORE_RETRY: FFmpeg would need more data
	known := g.score >= certain || s.Kind == Video && s.FrameRate.Num > 0 || s.Kind == Audio &&
		(g.score >= doubtful || g.format == "mp3")
	return s.decodable() && known
}

// isImage reports whether a format is one of FFmpeg's demuxers for single images. Their names share a suffix.
func isImage(format string) bool {
	return strings.HasSuffix(format, "_pipe")
}
