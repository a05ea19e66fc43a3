package record

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/resize"
)

// geometry returns what the decoder did to the image.
func (s *shown) geometry(a resize.Augment) (annotation.Geometry, error) {
	if s.spec.CropWidth != 0 { // the place of the image within the crop counts, too
		plan, err := s.spec.Plan(s.width, s.height, nil)
		return annotation.GeometryOf(s.spec, plan, a), err
	}
	height, width := sides(s.report.Desc)
	return annotation.GeometryOf(s.spec, resize.Plan{OutWidth: width, OutHeight: height, Region: s.report.Region}, a), nil
}

// boxes parses boxes, and transforms them as the views of the image were.
func (r *run) boxes(i int, k Boxes, views []shown) error {
	f := &r.fields[i]
	data, err := r.read(i)
	if err != nil {
		return err
	}
	parsed, err := annotation.ParseBoxes(data, k.Format)
	if err != nil {
		return spool.InFile(err, r.inputs[f.input].Info().Name)
	}
	parsed.Integer = false // floats in any case, whatever numbers the input has
	// COCO's boxes change their format before the image does, as in torchvision's wrapper of its CocoDetection.
	parsed = parsed.Convert(k.Format)
	for v := range views {
		g, err := views[v].geometry(f.leader.Kind.(Image).Augment)
		if err != nil {
			return err
		}
		boxes := parsed.Transform(g)
		if !k.KeepAll {
			boxes = boxes.Sanitize(g.Width, g.Height, annotation.Minimum{Size: float64(k.MinSize), Area: float64(k.MinArea)})
		}
		r.kept[i] = append(r.kept[i], boxes.Index)
		n, labels := boxes.Len(), boxes.Labels
		if labels == nil {
			labels = slices.Repeat([]int64{-1}, n)
		}
		r.values[i] = append(r.values[i], floats(f.name(v, 0), boxes.Coords, n, 4),
			integers(f.name(v, 1), labels), integers(f.name(v, 2), boxes.Index))
	}
	return nil
}

// points parses points, and transforms them as the views of the image were.
func (r *run) points(i int, views []shown) error {
	f := &r.fields[i]
	data, err := r.read(i)
	if err != nil {
		return err
	}
	parsed, err := annotation.ParsePoints(data)
	if err != nil {
		return spool.InFile(err, r.inputs[f.input].Info().Name)
	}
	parsed.Integer = false
	for v := range views {
		g, err := views[v].geometry(f.leader.Kind.(Image).Augment)
		if err != nil {
			return err
		}
		points := parsed.Transform(g)
		n, columns, coords := points.Len(), 2, points.Coords
		if points.Visibility != nil {
			columns, coords = 3, make([]float32, 0, 3*n)
			for j := range n {
				coords = append(coords, points.Coords[2*j], points.Coords[2*j+1], points.Visibility[j])
			}
		}
		r.values[i] = append(r.values[i], floats(f.name(v, 0), coords, n, columns))
	}
	return nil
}

// instances makes the masks of annotations as the views of the image show them.
func (r *run) instances(i int, k Instances, views []shown) error {
	f := &r.fields[i]
	data, err := r.read(i)
	if err != nil {
		return err
	}
	name := r.inputs[f.input].Info().Name
	list, err := annotation.ParseCOCO(data)
	if err != nil {
		return spool.InFile(err, name)
	}
	all := make([]int64, len(list))
	for j := range all {
		all[j] = int64(j)
	}
	for v := range views {
		s := &views[v]
		spec, err := s.like(f.spec.Resize, s.width, s.height)
		if err != nil {
			return err
		}
		plan, err := spec.Plan(s.width, s.height, nil)
		if err != nil {
			return err
		}
		positions := all
		if k.Boxes != "" {
			positions = r.kept[r.schema.Find(k.Boxes)][v]
		}
		n := len(positions)
		if most := r.decoders.Images.Limits().MaxMemory; int64(n) > most/int64(plan.OutWidth*plan.OutHeight) {
			return &spool.Error{Op: "decode", File: name, Class: spool.ErrTooLarge, Text: fmt.Sprintf(
				"%d masks of %dx%d, above the limit of %d bytes", n, plan.OutWidth, plan.OutHeight, most)}
		}
		masks := batch.Value{Field: f.name(v, 0), Data: make([]byte, n*plan.OutWidth*plan.OutHeight),
			Desc: spool.Desc{Shape: spool.Shape{n, plan.OutHeight, plan.OutWidth}, DType: spool.Uint8}}
		if err := annotation.ResizedMasks(masks.Data, list, positions, s.width, s.height, plan); err != nil {
			return spool.InFile(err, name)
		}
		r.values[i] = append(r.values[i], masks)
	}
	return nil
}

// floats returns a value of rows of numbers.
func floats(field string, numbers []float32, rows, columns int) batch.Value {
	v := batch.Value{Field: field, Data: make([]byte, 4*len(numbers)),
		Desc: spool.Desc{Shape: spool.Shape{rows, columns}, DType: spool.Float32}}
	for i, f := range numbers {
		binary.NativeEndian.PutUint32(v.Data[4*i:], math.Float32bits(f))
	}
	return v
}

// integers returns a value of integers.
func integers(field string, numbers []int64) batch.Value {
	v := batch.Value{Field: field, Data: make([]byte, 8*len(numbers)),
		Desc: spool.Desc{Shape: spool.Shape{len(numbers)}, DType: spool.Int64}}
	for i, n := range numbers {
		binary.NativeEndian.PutUint64(v.Data[8*i:], uint64(n))
	}
	return v
}
