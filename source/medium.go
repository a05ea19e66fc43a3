package source

import "slices"

// Medium selects the files of a folder that are loaded. Files that are named one by one, by a glob or in a list are
// loaded whatever their extension.
type Medium uint8

const (
	Images Medium = iota // the default
	Videos
	Audio
)

// String returns the medium's name in messages.
func (m Medium) String() string {
	switch m {
	case Videos:
		return "videos"
	case Audio:
		return "audio files"
	}
	return "images"
}

// Extensions returns the file name extensions of this medium, in lower case. A file's content, not its extension,
// decides which decoder reads it.
func (m Medium) Extensions() []string {
	if int(m) >= len(extensions) {
		return nil
	}
	return slices.Clone(extensions[m])
}

var extensions = [...][]string{
	Images: {".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".gif", ".bmp", ".dib", ".ppm", ".pgm", ".pbm", ".pnm",
		".tif", ".tiff", ".tga", ".avif", ".heic", ".heif", ".jp2", ".j2k", ".jxl"},
	Videos: {".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".m2ts", ".mts", ".mpg", ".mpeg", ".wmv", ".flv",
		".ogv", ".3gp", ".h264", ".264", ".h265", ".265", ".hevc", ".ivf", ".y4m"},
	Audio: {".wav", ".flac", ".mp3", ".m4a", ".aac", ".ogg", ".oga", ".opus", ".wma", ".aiff", ".aif", ".aifc", ".au",
		".ac3", ".mka"},
}
