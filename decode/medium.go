package decode

// Kind is the medium of a file or of a stream.
type Kind string

// The media.
const (
	KindImage Kind = "image"
	KindVideo Kind = "video"
	KindAudio Kind = "audio"
)
