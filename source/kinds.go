package source

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

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

// The kinds of inputs.
const (
	kindImage  = "image"
	kindMask   = "mask"
	kindVideo  = "video"
	kindAudio  = "audio"
	kindText   = "text"
	kindJSON   = "json"
	kindNumber = "number"
	kindBytes  = "bytes"
)

var (
	maskWords = []string{"mask", "masks", "seg", "segs", "segmentation", "segmentations", "annotation", "annotations"}
	// labelWords are masks if they are images.
	labelWords = []string{"label", "labels", "target", "targets"}
	imageWords = []string{"image", "images", "img", "photo", "picture"}
)

// hasWord reports whether a name consists of words that include one of the given ones.
func hasWord(name string, words ...[]string) bool {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("._-/ ", r) })
	return slices.ContainsFunc(parts, func(part string) bool {
		return slices.ContainsFunc(words, func(list []string) bool { return slices.Contains(list, part) })
	})
}

// kindOf returns the kind of files with an extension, which begins with a dot, or "". name is that of their input.
func kindOf(ext, name string) string {
	ext = strings.ToLower(ext)
	switch {
	case slices.Contains(extensions[Images], ext) && hasWord(name, maskWords, labelWords):
		return kindMask
	case slices.Contains(extensions[Images], ext):
		return kindImage
	case slices.Contains(extensions[Videos], ext):
		return kindVideo
	case slices.Contains(extensions[Audio], ext):
		return kindAudio
	}
	switch ext {
	case ".txt", ".text", ".caption":
		return kindText
	case ".json", ".jsonl":
		return kindJSON
	case ".cls", ".id", ".index":
		return kindNumber
	case ".npy", ".npz", ".pt", ".pth", ".pyd", ".pickle", ".pkl", ".safetensors":
		return kindBytes
	}
	return ""
}

// isMedia reports whether a kind is an image, a mask, video or audio.
func isMedia(kind string) bool {
	return kind == kindImage || kind == kindMask || kind == kindVideo || kind == kindAudio
}

// kindOfValue returns the kind of a value by its content.
func kindOfValue(data []byte) string {
	text := strings.TrimSpace(string(data))
	if text != "" && strings.ContainsRune("-0123456789", rune(text[0])) && json.Valid([]byte(text)) {
		return kindNumber
	}
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
		var numbers []*float64
		if json.Unmarshal(data, &numbers) == nil && len(numbers) > 0 {
			return kindNumber // a vector
		}
		if json.Valid(data) {
			return kindJSON
		}
	}
	binary := func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\r\n", r) }
	if utf8.Valid(data) && !strings.ContainsFunc(text, binary) {
		return kindText
	}
	return kindBytes
}

// kindOfCell returns the kind of a cell, and whether it names or holds a file.
func (o Options) kindOfCell(column string, cell table.Cell) (kind string, file bool) {
	switch {
	case cell.Type == table.Number:
		return kindNumber, false
	case cell.Type == table.Bytes || cell.Type == table.JSON && cell.Path != "":
		if kind = kindOf(path.Ext(cell.Path), column); kind == "" {
			kind = kindOfName(column)
		}
		return kind, true
	case cell.Type == table.JSON && kindOfValue(cell.Data) == kindNumber:
		return kindNumber, false
	case cell.Type == table.JSON:
		return kindJSON, false
	}
	text := string(cell.Data)
	kind = kindOf(extension(text), column)
	switch {
	case isMedia(kind) && !strings.ContainsAny(text, "\n\t"):
		return kind, true
	case o.isRemote(text) || strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://"):
		if kind == "" {
			kind = kindOfName(column)
		}
		return kind, true
	}
	return kindOfValue(cell.Data), false
}

// kindOfName returns the kind of files by the name of their column.
func kindOfName(column string) string {
	switch {
	case hasWord(column, maskWords):
		return kindMask
	case hasWord(column, imageWords):
		return kindImage
	case hasWord(column, []string{kindVideo, "videos", "clip"}):
		return kindVideo
	case hasWord(column, []string{kindAudio, "sound", "speech"}):
		return kindAudio
	}
	return kindBytes
}

// numbers are the numbers, or lists of them, that some samples have.
type numbers struct {
	count, lists int // of samples; those with a list
	length       int // of the first list
	uneven       bool
	fractional   bool // one is no integer of 64 bits
}

// add adds the value of a sample.
func (n *numbers) add(data []byte) {
	list := []*json.Number{(*json.Number)(new(string))}
	*list[0] = json.Number(strings.TrimSpace(string(data)))
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		list = nil
		err := json.Unmarshal(data, &list)
		if n.lists++; n.lists == 1 {
			n.length = len(list)
		}
		n.uneven = n.uneven || err != nil || len(list) != n.length || len(list) == 0
	}
	n.count++
	for _, number := range list {
		if number == nil {
			n.uneven = true
			continue
		}
		_, err := number.Int64()
		n.fractional = n.fractional || err != nil
	}
}

// describe sets the type and the shape of numbers. format is the type of the numbers in the table, if it has one: see
// table.Column.
func (n *numbers) describe(in *InferredInput, format string) {
	if n.uneven || n.lists > 0 && n.lists < n.count {
		in.Kind = kindJSON
		return
	}
	if n.lists > 0 {
		in.Shape = spool.Shape{n.length}
	}
	switch {
	case format == "e" || format == "f":
		in.Type = spool.Float32
	case format == "g" || n.fractional:
		in.Type = spool.Float64
	default:
		in.Type = spool.Int64
	}
}
