package lerobot

import (
	"context"
	"encoding/json"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
)

// Info is what meta/info.json says.
type Info struct {
	Version  string // v3.0
	FPS      float64
	Features []Feature // in the order of the file
	Episodes int       // of the whole data set, as are Frames
	Frames   int
	Text     json.RawMessage // the file

	dataPath, videoPath string
}

// infoFile is where a data set's description is, below its folder.
const infoFile = "meta/info.json"

// maxInfo is the largest size of infoFile.
const maxInfo = 64 << 20

// Is reports whether a folder is a LeRobot data set, of any version. A folder without meta/info.json is none.
func Is(ctx context.Context, root string, o Options) (bool, error) {
	text, err := newFolder(root, o).read(ctx, infoFile, maxInfo)
	if class := spool.ClassOf(err); class == spool.ErrNotFound || class == spool.ErrNotAFile {
		return false, nil
	} else if err != nil {
		return false, err
	}
	var file struct {
		Version string `json:"codebase_version"`
	}
	return json.Unmarshal(text, &file) == nil && file.Version != "", nil
}

// readInfo reads the description of a data set.
func readInfo(ctx context.Context, in folder) (Info, error) {
	text, err := in.read(ctx, infoFile, maxInfo)
	if err != nil {
		return Info{}, err
	}
	var file struct {
		Version  string          `json:"codebase_version"`
		FPS      float64         `json:"fps"`
		Features json.RawMessage `json:"features"`
		Episodes int             `json:"total_episodes"`
		Frames   int             `json:"total_frames"`
		Data     string          `json:"data_path"`
		Video    string          `json:"video_path"`
	}
	file.Data = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
	file.Video = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
	if err := json.Unmarshal(text, &file); err != nil {
		return Info{}, corrupt("%v", err)
	}
	switch {
	case file.Version == "":
		return Info{}, corrupt("it has no codebase_version")
	case file.Version != "v3" && !strings.HasPrefix(file.Version, "v3."):
		return Info{}, unsupported("codebase_version %s: LeRobot converts data sets to v3.0, which this version reads",
			file.Version)
	case !(file.FPS > 0 && file.FPS < 1e6):
		return Info{}, corrupt("fps is %v", file.FPS)
	}
	x := Info{Version: file.Version, FPS: file.FPS, Episodes: file.Episodes, Frames: file.Frames, Text: text,
		dataPath: file.Data, videoPath: file.Video}
	if x.Features, err = parseFeatures(file.Features); err != nil {
		return Info{}, err
	}
	for _, template := range []string{x.dataPath, x.videoPath} {
		if _, err := expand(template, "camera", place{}); err != nil {
			return Info{}, err
		}
	}
	return x, nil
}

// Feature returns a feature by its name.
func (x Info) Feature(name string) (Feature, bool) {
	for _, f := range x.Features {
		if f.Name == name {
			return f, true
		}
	}
	return Feature{}, false
}

// replacement is a replacement field of Python's str.format: a name, and the width of an integer.
var replacement = regexp.MustCompile(`\{(\w*)(?::0?(\d*)d)?\}`)

// expand returns the path of a file, below the data set's folder.
func expand(template, camera string, at place) (name string, err error) {
	name = replacement.ReplaceAllStringFunc(template, func(field string) string {
		parts := replacement.FindStringSubmatch(field)
		width, _ := strconv.Atoi(parts[2])
		number := func(n int32) string {
			digits := strconv.Itoa(int(n))
			return strings.Repeat("0", max(0, min(width, 64)-len(digits))) + digits
		}
		switch parts[1] {
		case "video_key":
			return camera
		case "chunk_index":
			return number(at.chunk)
		case "file_index":
			return number(at.file)
		}
		err = corrupt("a path with the unknown field %s: %s", field, template)
		return field
	})
	if err == nil && (path.IsAbs(name) || name == "" || strings.Contains("/"+name+"/", "/../")) {
		err = corrupt("a path outside of the data set: %s", template)
	}
	return name, err
}

// files names the errors of a file of the data set.
func (in folder) inFile(name string, err error) error { return spool.InFile(err, in.name(name)) }
