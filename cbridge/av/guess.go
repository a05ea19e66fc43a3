package av

import "strings"

// certain is the score from which on FFmpeg's idea of the format is more than a guess: its own
// AVPROBE_SCORE_EXTENSION, what a matching file name counts.
const certain = 50

// guess is what FFmpeg takes the file for: its names for the format, and its certainty from 0 to 100.
type guess struct {
	format string
	score  int
}

// believes reports whether there is something to decode. Noise passes for sound of rare formats, and for
// video without a container, which has no rate then.
func (g guess) believes(s Stream) bool {
	const doubtful = 25 // AVPROBE_SCORE_RETRY: FFmpeg would have liked to see more
	known := g.score >= certain || s.Kind == Video && s.FrameRate.Num > 0 || s.Kind == Audio && (g.score >= doubtful || g.format == "mp3")
	return s.decodable() && known
}

// isPicture knows FFmpeg's demuxers of single pictures by their common ending.
func isPicture(format string) bool {
	return strings.HasSuffix(format, "_pipe")
}
