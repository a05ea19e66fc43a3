package loader

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
)

// aspects are the aspect ratios of the default buckets: those of photos and videos, upright and wide.
var aspects = [...][2]int{{1, 2}, {9, 16}, {2, 3}, {3, 4}, {4, 5}, {1, 1}, {5, 4}, {4, 3}, {3, 2}, {16, 9}, {2, 1}}

// buckets are the sizes of the batches of FormBucket.
type buckets []Size

// defaultBuckets returns buckets with about the area of a size, whose sides are multiples of a number.
func defaultBuckets(of Size, multiple int) (all buckets) {
	area := float64(of.Width) * float64(of.Height)
	side := func(length float64) int {
		return max(int(math.Round(length/float64(multiple))), 1) * multiple
	}
	for _, a := range aspects {
		width := math.Sqrt(area * float64(a[0]) / float64(a[1]))
		s := Size{side(width), side(area / width)}
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// of returns the bucket of an image: that with the nearest aspect ratio. Of several, it is the largest one that is not
// larger than the image, or else the smallest.
func (b buckets) of(width, height int) int {
	area := float64(width) * float64(height)
	return slices.Index(b, slices.MinFunc(b, func(x, y Size) int {
		xArea, yArea := x.area(), y.area()
		xLarge, yLarge := xArea > area, yArea > area
		byArea := cmp.Compare(yArea, xArea)
		if xLarge && yLarge {
			byArea = -byArea
		}
		return cmp.Or(cmp.Compare(x.stretch(width, height), y.stretch(width, height)), compareBool(xLarge, yLarge), byArea)
	}))
}

// compareBool orders false before true.
func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

func (s Size) area() float64 { return float64(s.Width) * float64(s.Height) }

// stretch returns how much an image must be stretched in one direction to get the aspect ratio of a size, from 1 up.
// Products of sides are exact, so the result is the same on all machines.
func (s Size) stretch(width, height int) float64 {
	x, y := float64(width)*float64(s.Height), float64(height)*float64(s.Width)
	return max(x, y) / min(x, y)
}

// String returns the sizes, as in states.
func (b buckets) String() string {
	texts := make([]string, len(b))
	for i, s := range b {
		texts[i] = s.String()
	}
	return strings.Join(texts, " ")
}

// bucketed returns the position of the field whose size or length is that of the bucket, or -1.
func (f Form) bucketed(s record.Schema) int {
	if f.Lengths != nil {
		return slices.IndexFunc(s, func(x record.Field) bool { return long(x) && (f.Field == "" || x.Name == f.Field) })
	}
	return slices.IndexFunc(s, func(x record.Field) bool {
		_, ok := x.Kind.(record.Image)
		return ok && (f.Field == "" || x.Name == f.Field)
	})
}

// long reports whether a field has any length.
func long(x record.Field) bool {
	switch k := x.Kind.(type) {
	case record.Video:
		return k.Frames == record.AllFrames
	case record.Audio:
		return k.Spec.Length == 0
	}
	return false
}

// validateLong adds the problems of the field whose length is that of the bucket.
func (f Form) validateLong(s record.Schema, bad *invalid.Options) {
	switch i := f.bucketed(s); {
	case i < 0:
		bad.Value("Form.Lengths", f.Lengths, "need a video or audio field of any length")
	case s[i].Optional:
		err := &spool.OptionError{Options: invalid.Named("Optional"), Text: "a sample without the field would have no bucket"}
		bad.Add(&record.FieldError{Field: s[i].Name, Err: err})
	}
}

// lengthened returns the schema of a bucket.
func (f Form) lengthened(s record.Schema, length int) record.Schema {
	i := f.bucketed(s)
	s = slices.Clone(s)
	switch k := s[i].Kind.(type) {
	case record.Video:
		if k.Frames = length; k.FPS == 0 {
			k.Stride = max(k.Stride, 1)
		}
		s[i].Kind = k
	case record.Audio:
		k.Spec.Length = length
		s[i].Kind = k
	}
	return s
}

// validateField adds the problems of the image field whose size is that of the bucket.
func (f Form) validateField(s record.Schema, bad *invalid.Options) {
	i := f.bucketed(s)
	if i < 0 {
		bad.Value("Form.Field", f.Field, "buckets need an image field, and no image has this name")
		return
	}
	field := s[i]
	r := field.Kind.(record.Image).Spec.Resize
	add := func(text string, options ...string) {
		err := &spool.OptionError{Options: invalid.Named(options...), Text: text}
		bad.Add(&record.FieldError{Field: field.Name, Err: err})
	}
	if field.Optional {
		add("a sample without the image would have no bucket", "Optional")
	}
	if r.Shorter != 0 || r.MaxSize != 0 || r.CropWidth != 0 || r.CropHeight != 0 || r.Snap != (resize.Snap{}) {
		add("must not be set, since a bucket gives the size", "Shorter", "MaxSize", "CropWidth", "CropHeight",
			"Snap.Multiple")
	}
	if len(f.Buckets) == 0 && (r.Width <= 0 || r.Height <= 0) {
		add("must be set without Form.Buckets: the default buckets have that area", "Width", "Height")
	}
}

// buckets returns the sizes for a valid schema.
func (f Form) buckets(s record.Schema) buckets {
	if len(f.Buckets) > 0 {
		return f.Buckets
	}
	r := s[f.bucketed(s)].Kind.(record.Image).Spec.Resize
	return defaultBuckets(Size{r.Width, r.Height}, cmp.Or(f.Multiple, 16))
}

// schema returns the schema of a bucket.
func (f Form) schema(s record.Schema, size Size) record.Schema {
	i := f.bucketed(s)
	s = slices.Clone(s)
	k := s[i].Kind.(record.Image)
	k.Spec.Resize.Width, k.Spec.Resize.Height = size.Width, size.Height
	s[i].Kind = k
	return s
}

// schemas returns the schema of each bucket, or just the schema.
func (f Form) schemas(s record.Schema) (all []record.Schema) {
	if f.Kind != FormBucket {
		return []record.Schema{s}
	}
	for _, n := range f.Lengths {
		all = append(all, f.lengthened(s, n))
	}
	if f.Lengths != nil {
		return all
	}
	for _, size := range f.buckets(s) {
		all = append(all, f.schema(s, size))
	}
	return all
}

// validateSchema returns the problems of a schema with this form.
func (f Form) validateSchema(s record.Schema) error {
	switch {
	case f.sized():
		return s.ValidateSized()
	case f.Kind == FormBucket && f.Lengths != nil && f.bucketed(s) >= 0:
		return f.lengthened(s, max(f.Lengths[0], 1)).Validate()
	case f.Kind == FormBucket && f.bucketed(s) >= 0:
		return f.schema(s, f.buckets(s)[0]).Validate()
	}
	return s.Validate()
}

// identity describes what determines the bucket of a sample, and the number of samples in a batch. It is empty for
// forms whose batches are in the order of the samples.
func (f Form) identity(s record.Schema, batch int) string {
	if f.Kind != FormBucket {
		return ""
	}
	if f.Lengths != nil {
		return fmt.Sprintf("bucket %s: %d of %v", s[f.bucketed(s)].Name, batch, f.Lengths)
	}
	return fmt.Sprintf("bucket %s: %d of %v", s[f.bucketed(s)].Name, batch, f.buckets(s))
}
