package record

import (
	"strconv"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source/lerobot"
)

// LeRobotSchema returns the fields of a LeRobot data set: its features in their order, each with NAME_is_pad if it
// has delta timestamps, then task, and subtask, which is optional. A camera is a Video with the frames of its window,
// and so at least one; its other options are those of camera. A feature of images is an Image, or one for each delta
// timestamp, NAME.0 and so on. Depth maps are uint16 in one channel, resized to the nearest pixel: of videos, the codes
// that these hold. A feature of language is JSON. Without a size in camera.Spec, frames and images keep that of the
// data set.
func LeRobotSchema(d *lerobot.DataSet, camera Video) (s Schema) {
	info := d.Info()
	for _, f := range info.Features {
		deltas := d.Deltas(f.Name)
		switch f.Kind {
		case lerobot.Numbers:
			s = append(s, Field{Name: f.Name, Kind: numbersOf(f, deltas)})
		case lerobot.Text:
			s = append(s, Field{Name: f.Name, Kind: Text{}})
		case lerobot.Language:
			s = append(s, Field{Name: f.Name, Kind: JSON{}})
		case lerobot.Video:
			s = append(s, Field{Name: f.Name, Kind: cameraOf(f, deltas, camera, d.Tolerance())})
		case lerobot.Image:
			picture := Image{Spec: decoders.FrameSpec(sized(camera, f).Spec), Augment: camera.Augment, Ops: camera.Ops}
			if f.Depth {
				picture.Spec, picture.Ops = depthSpec(picture.Spec), nil // distances are no colors
			}
			if deltas == nil {
				s = append(s, Field{Name: f.Name, Kind: picture})
			}
			for i := range deltas {
				s = append(s, Field{Name: f.Name + "." + strconv.Itoa(i), Kind: picture})
			}
		}
		if deltas != nil && f.Kind != lerobot.Other {
			s = append(s, Field{Name: f.Name + "_is_pad",
				Kind: Number{DType: spool.Uint8, Shape: spool.Shape{len(deltas)}}})
		}
	}
	if d.HasTask() {
		s = append(s, Field{Name: "task", Kind: Text{}})
	}
	if d.HasSubtask() {
		s = append(s, Field{Name: "subtask", Kind: Text{}, Optional: true})
	}
	return s
}

// depthSpec returns the spec of depth maps, whose numbers are those of the file, next to images with a spec.
func depthSpec(s image.Spec) image.Spec {
	s.Color, s.DType, s.Mean, s.Std = decode.Gray, spool.Uint16, nil, nil
	s.Resize.Filter, s.Resize.Profile = resize.NearestFloor, resize.Exact
	return s
}

// numbersOf returns the kind of a feature of numbers.
func numbersOf(f lerobot.Feature, deltas []float64) Number {
	k := Number{DType: spool.Int64, Shape: f.Shape}
	switch f.DType {
	case "bool":
		k.DType = spool.Uint8
	case "float32":
		k.DType = spool.Float32
	case "float64":
		k.DType = spool.Float64
	}
	if deltas != nil {
		k.Shape = append(spool.Shape{len(deltas)}, f.Shape...)
	}
	return k
}

// cameraOf returns the kind of a camera: the frames of its window, in the episode's part of its file.
func cameraOf(f lerobot.Feature, deltas []float64, k Video, tolerance float64) Video {
	k = sized(k, f)
	if f.Depth {
		k.Spec.Color, k.Spec.DType, k.Spec.Mean, k.Spec.Std, k.Ops = decode.Index, spool.Uint16, nil, nil, nil
		k.Spec.Resize.Filter = resize.NearestFloor
	}
	k.Times, k.Frames, k.Random = deltas, 0, false
	if deltas == nil {
		k.Times = []float64{0}
	}
	k.Start, k.End = Time{Input: f.Name + ".start"}, Time{Input: f.Name + ".end"}
	k.At, k.Tolerance = Time{Input: "frame_time"}, tolerance
	return k
}

// sized returns a camera with the size of the data set, unless it has one.
func sized(k Video, f lerobot.Feature) Video {
	r := &k.Spec.Resize
	if _, fixed := k.Spec.Sample(1); !fixed && !r.Resizes() {
		r.Height, r.Width = f.Shape[0], f.Shape[1]
	}
	return k
}
