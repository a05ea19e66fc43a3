package source

import "slices"

// Kind says which files of a folder are loaded. Files that are named one by one, by a glob or in a list are
// taken as they are named.
type Kind uint8

const (
	Pictures Kind = iota // the default
	Videos
	Sounds
)

// String is the kind's name in messages.
func (k Kind) String() string {
	switch k {
	case Videos:
		return "videos"
	case Sounds:
		return "sound files"
	}
	return "pictures"
}

// Extensions are the endings of file names, in lower case, by which files of this kind are known. Which
// decoder reads a file is decided by its content.
func (k Kind) Extensions() []string {
	if int(k) >= len(extensions) {
		return nil
	}
	return slices.Clone(extensions[k])
}

var extensions = [...][]string{
	Pictures: {".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".gif", ".bmp", ".dib", ".ppm", ".pgm", ".pbm", ".pnm",
		".tif", ".tiff", ".tga", ".avif", ".heic", ".heif", ".jp2", ".j2k", ".jxl"},
	Videos: {".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".m2ts", ".mts", ".mpg", ".mpeg", ".wmv", ".flv",
		".ogv", ".3gp", ".h264", ".264", ".h265", ".265", ".hevc", ".ivf", ".y4m"},
	Sounds: {".wav", ".flac", ".mp3", ".m4a", ".aac", ".ogg", ".oga", ".opus", ".wma", ".aiff", ".aif", ".aifc", ".au",
		".ac3", ".mka"},
}
