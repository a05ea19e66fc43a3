package lerobot

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// FeatureKind is what the values of a feature are.
type FeatureKind uint8

const (
	Other   FeatureKind = iota // has no input
	Numbers                    // one number, or an array of a fixed shape
	Text
	Language // what was said or is to be done, as JSON: a list of objects
	Image    // in the data files
	Video    // a camera: in MP4 files
)

// Feature is a column of a data set, or a camera.
type Feature struct {
	Name  string
	DType string // of numbers: float32, float64, int64, bool and so on
	Kind  FeatureKind
	Depth bool // of images and cameras: distances, in one channel
	// Shape is that of a value. Of one number it is empty; of images and cameras it is height, width and channels.
	Shape []int
}

// numberTypes are the types of numbers in info.json.
var numberTypes = []string{"float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
	"uint64", "bool"}

// description is a feature in info.json.
type description struct {
	DType     string          `json:"dtype"`
	Shape     []int           `json:"shape"`
	Names     json.RawMessage `json:"names"` // of dimensions: a list, or null, or something else
	Info      details         `json:"info"`
	VideoInfo details         `json:"video_info"`
}

type details struct {
	Depth       bool `json:"is_depth_map"`
	LegacyDepth bool `json:"video.is_depth_map"`
}

// feature returns the feature that is described.
func (d description) feature(name string) Feature {
	f := Feature{Name: name, DType: d.DType, Shape: d.Shape}
	depth := d.Info.Depth || d.Info.LegacyDepth || d.VideoInfo.Depth || d.VideoInfo.LegacyDepth
	switch {
	case d.DType == "video" || d.DType == "image":
		f.Kind, f.Depth = Video, depth
		if d.DType == "image" {
			f.Kind = Image
		}
		if len(f.Shape) == 3 && d.channelsFirst() {
			f.Shape = []int{f.Shape[1], f.Shape[2], f.Shape[0]}
		}
	case d.DType == "string":
		f.Kind = Text
	case d.DType == "language":
		f.Kind = Language
	case slices.Contains(numberTypes, d.DType):
		f.Kind = Numbers
		if slices.Equal(f.Shape, []int{1}) {
			f.Shape = nil
		}
	}
	return f
}

// channelsFirst reports whether the first dimension of a picture is that of its channels.
func (d description) channelsFirst() bool {
	var names []string
	if json.Unmarshal(d.Names, &names) == nil && len(names) == 3 {
		return strings.HasPrefix(names[0], "c")
	}
	const most = 4
	return d.Shape[0] <= most && d.Shape[2] > most
}

// parseFeatures returns the features of info.json, in the order of the file.
func parseFeatures(object json.RawMessage) (all []Feature, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, corrupt("features is no object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, corrupt("features: %v", err)
		}
		var x description
		if err := d.Decode(&x); err != nil {
			return nil, corrupt("feature %v: %v", name, err)
		}
		f := x.feature(name.(string))
		if slices.ContainsFunc(f.Shape, func(n int) bool { return n < 1 }) || f.pictures() && len(f.Shape) != 3 {
			return nil, corrupt("feature %s has the shape %v", f.Name, x.Shape)
		}
		all = append(all, f)
	}
	return all, nil
}

// pictures reports whether values of the feature are images or frames.
func (f Feature) pictures() bool { return f.Kind == Image || f.Kind == Video }

// width returns how many numbers a value has.
func (f Feature) width() int {
	n := 1
	for _, d := range f.Shape {
		n *= d
	}
	return n
}
