package decode

// Medium is the medium of a file or of a stream.
type Medium string

// The media.
const (
	Image Medium = "image"
	Video Medium = "video"
	Audio Medium = "audio"
)
