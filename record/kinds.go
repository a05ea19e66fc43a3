package record

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/resize"
)

// Image decodes an image to pixels, of a fixed size or of its own: see NewSizedPlan.
type Image struct {
	// Spec is the result.
	Spec image.Spec
	// Augment draws a crop and flips for each record and view.
	Augment resize.Augment
	// Ops change the pixels of each record and view, but not those of masks that follow. Operations that move pixels
	// exclude fields that follow.
	Ops augment.Ops
	// Views is how many differently drawn results of the image there are: NAME.0, NAME.1 and so on. 0 means one, which is
	// called NAME.
	Views int
}

// Mask decodes an image of labels, which follows the geometry of an image field: the same crop and flips, resized as
// torchvision's NEAREST. The result is uint8, of the image's size and views: [h w] for one channel, else of the image's
// layout.
type Mask struct {
	Like string // name of the image field; required
	// Color is Index by default: the indices of a palette, or gray levels. Gray, RGB and RGBA give the image's channels.
	Color MaskColor
	// Fill is the value where the result shows pixels outside of the mask.
	Fill uint8
}

// MaskColor is what a mask's values are.
type MaskColor uint8

const (
	Index MaskColor = iota // indices of a palette, or gray levels
	Gray                   // gray levels
	RGB                    // 3 channels
	RGBA                   // 4 channels
)

// color is the color of the decoder.
func (c MaskColor) color() decode.Color {
	return [...]decode.Color{decode.Index, decode.Gray, decode.RGB, decode.RGBA}[c]
}

// Boxes parses bounding boxes, which follow the geometry of an image field. They are clamped to the result, and those
// that are then too small are removed, as torchvision's SanitizeBoundingBoxes does. The input is JSON or NPY: see
// package annotation. Each sample has three values: NAME is float32 [n, 4], NAME.labels int64 [n], with -1 for boxes
// without a label, and NAME.index int64 [n], the positions of the boxes in the input. If the image has views, NAME is
// NAME.0 and so on.
type Boxes struct {
	Like string // name of the image field; required
	// Format is the format of the input, and of the result.
	Format annotation.Format
	// KeepAll keeps boxes of any size. MinSize and MinArea are the least side and area of boxes that are kept, in pixels
	// of the result; 0 means 1.
	KeepAll          bool
	MinSize, MinArea float32
}

// Points parses key points, which follow the geometry of an image field. None is removed or clamped. The input is JSON
// or NPY: see package annotation. NAME is float32 [n, 2], or [n, 3] if the input has a visibility. If the image has
// views, NAME is NAME.0 and so on.
type Points struct {
	Like string // name of the image field; required
}

// Instances makes a mask of each of COCO's annotations of an image, from polygons and run lengths: see
// annotation.ParseCOCO. The masks follow the geometry of an image field as Mask does: NAME is uint8 [n h w] of the
// image's size, 1 in an object and 0 elsewhere. If the image has views, NAME is NAME.0 and so on. Masks that together
// take more memory than one image may are bad input, spool.ErrTooLarge.
type Instances struct {
	Like string // name of the image field; required
	// Boxes is the name of a Boxes field with the same annotations and image. There are masks of the boxes that it keeps,
	// in their order. Empty means a mask of each annotation.
	Boxes string
}

// Number parses a number, numbers in a JSON list, or an NPY file into an array of a fixed shape. The number of elements
// of lists and NPY files counts, and not their shape.
type Number struct {
	// DType is Float32, Float64, Int64 or Uint8. Numbers that it cannot hold are bad input.
	DType spool.DType
	// Shape is that of a list; nil for one number.
	Shape spool.Shape
	// Default is the value of a field that is absent.
	Default float64
}

// Text is UTF-8 text.
type Text struct{}

// JSON is a JSON value, as text.
type JSON struct{}

// Bytes is the input as it is.
type Bytes struct{}

// Column is a column of a table, passed on with its type: see batch/column.
type Column struct{}

// Columns returns fields for columns of tables, which samples may lack.
func Columns(names ...string) Schema {
	s := make(Schema, len(names))
	for i, name := range names {
		s[i] = Field{Name: name, Optional: true, Kind: Column{}}
	}
	return s
}

func (Image) value() bool     { return false }
func (Mask) value() bool      { return false }
func (Boxes) value() bool     { return true }
func (Points) value() bool    { return true }
func (Instances) value() bool { return true }
func (Number) value() bool    { return true }
func (Text) value() bool      { return true }
func (JSON) value() bool      { return true }
func (Bytes) value() bool     { return false }
func (Column) value() bool    { return true }

func (k Image) validate(_ Schema, bad *invalid.Options) {
	spec := k.Spec
	if len(k.Ops) > 0 {
		spec.Adjust = k.Ops.Steps(order.Draw{}) // the spec has what steps exclude
	}
	bad.Add(spec.Validate())
	bad.Add(k.Ops.Validate())
	bad.Add(k.Augment.Validate(k.Spec.Resize))
	if k.Spec.Draw != nil {
		bad.Values(invalid.Named("Spec.Draw"), "must be nil: Augment draws")
	}
	if k.Spec.Adjust != nil {
		bad.Values(invalid.Named("Spec.Adjust"), "must be nil: Ops change pixels")
	}
	if k.Spec.Crops != resize.OneCrop {
		bad.Value("Spec.Crops", k.Spec.Crops, "records have Views in place of crops")
	}
	if k.Views < 0 {
		bad.Value("Views", k.Views, "must not be negative")
	}
}

func (k Image) parts(Schema) []part { return []part{{array: true, sample: sample(k.Spec)}} }

func (k Mask) validate(s Schema, bad *invalid.Options) {
	_, err := s.leader(k.Like)
	bad.Add(err)
	if k.Color > RGBA {
		bad.Value("Color", uint8(k.Color), "no such color")
	}
}

// spec returns the spec of a mask of an image with the given spec.
func (k Mask) spec(leader image.Spec) image.Spec {
	r := leader.Resize
	r.Filter, r.Profile, r.Bits = resize.NearestFloor, resize.Exact, 0
	r.PadColor = [3]uint8{k.Fill, k.Fill, k.Fill}
	fill := decode.RGB8{R: k.Fill, G: k.Fill, B: k.Fill}
	return image.Spec{Resize: r, Color: k.Color.color(), Layout: leader.Layout, Allow: leader.Allow,
		Accept: leader.Accept, Stored: leader.Stored, Fill: &fill}
}

func (k Mask) parts(s Schema) []part {
	leader, _ := s.leader(k.Like)
	spec := k.spec(leader.Spec)
	return []part{{array: true, sample: k.describe(spec, sample(spec))}}
}

// describe describes a mask, whose spec gives pixels of a description.
func (k Mask) describe(spec image.Spec, d spool.Desc) spool.Desc {
	if spec.Color.Channels() == 1 {
		height, width := sides(d)
		d.Shape, d.Layout = spool.Shape{height, width}, spool.Flat
	}
	return d
}

func (k Boxes) validate(s Schema, bad *invalid.Options) {
	_, err := s.leader(k.Like)
	bad.Add(err)
	if k.Format > annotation.CXCYWH {
		bad.Value("Format", uint8(k.Format), "no such format")
	}
	if !(k.MinSize >= 0) {
		bad.Value("MinSize", k.MinSize, "must not be negative")
	}
	if !(k.MinArea >= 0) {
		bad.Value("MinArea", k.MinArea, "must not be negative")
	}
	if k.KeepAll && (k.MinSize > 0 || k.MinArea > 0) {
		bad.Excludes(invalid.Named("KeepAll"), invalid.Named("MinSize", "MinArea"), "no box is removed")
	}
}

func (Boxes) parts(Schema) []part {
	return []part{{}, {suffix: ".labels"}, {suffix: ".index"}}
}

func (k Points) validate(s Schema, bad *invalid.Options) {
	_, err := s.leader(k.Like)
	bad.Add(err)
}

func (k Instances) validate(s Schema, bad *invalid.Options) {
	_, err := s.leader(k.Like)
	bad.Add(err)
	if k.Boxes == "" {
		return
	}
	i := s.Find(k.Boxes)
	if i < 0 {
		bad.Value("Boxes", k.Boxes, "no field has this name")
		return
	}
	switch boxes, ok := s[i].Kind.(Boxes); {
	case !ok:
		bad.Value("Boxes", k.Boxes, "are no boxes")
	case boxes.Like != k.Like:
		bad.Value("Boxes", k.Boxes, "follow %s, and the masks follow %s", boxes.Like, k.Like)
	case s[i].Optional:
		bad.Value("Boxes", k.Boxes, "are optional; it would be unknown which masks to keep")
	}
}

func (k Number) validate(_ Schema, bad *invalid.Options) {
	switch k.DType {
	case spool.Float32, spool.Float64, spool.Int64, spool.Uint8:
	default:
		bad.Value("DType", k.DType, "must be Float32, Float64, Int64 or Uint8")
	}
	n, ok := spool.Desc{Shape: k.Shape, DType: k.DType}.Bytes()
	if len(k.Shape) > 0 && (!ok || n == 0) {
		bad.Value("Shape", k.Shape, "must be positive")
	}
}

func (k Number) parts(Schema) []part { return []part{{array: true, sample: k.Sample()}} }

// Sample describes the numbers of one record.
func (k Number) Sample() spool.Desc { return spool.Desc{Shape: k.Shape, DType: k.DType} }

func (Text) validate(Schema, *invalid.Options)  {}
func (JSON) validate(Schema, *invalid.Options)  {}
func (Bytes) validate(Schema, *invalid.Options) {}

func (Column) validate(Schema, *invalid.Options) {}

func (Points) parts(Schema) []part    { return []part{{}} }
func (Instances) parts(Schema) []part { return []part{{}} }
func (Text) parts(Schema) []part      { return []part{{}} }
func (JSON) parts(Schema) []part      { return []part{{}} }
func (Bytes) parts(Schema) []part     { return []part{{}} }
func (Column) parts(Schema) []part    { return []part{{}} }
