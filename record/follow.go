package record

import (
	"encoding/binary"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/resize"
)

// geometry returns what the decoder did to the image.
func (s shown) geometry(k Image) (annotation.Geometry, error) {
	if s.spec.CropWidth != 0 { // the place of the image within the crop counts, too
		plan, err := s.spec.Plan(s.width, s.height, nil)
		return annotation.Of(s.spec, plan, k.Augment), err
	}
	height, width := sides(s.report.Desc)
	return annotation.Of(s.spec, resize.Plan{OutWidth: width, OutHeight: height, Region: s.report.Region}, k.Augment), nil
}

// boxes parses boxes, and transforms them as the image was.
func (r *run) boxes(i int, k Boxes, leader Image, s shown) error {
	data, err := r.read(i)
	if err != nil {
		return err
	}
	boxes, err := annotation.ParseBoxes(data, k.Format)
	if err != nil {
		return spool.InFile(err, r.inputs[r.fields[i].input].Info().Name)
	}
	g, err := s.geometry(leader)
	if err != nil {
		return err
	}
	boxes.Integer = false // floats in any case, whatever numbers the input has
	boxes = boxes.Transform(g)
	if !k.KeepAll {
		boxes = boxes.Sanitize(g.Width, g.Height, annotation.Minimum{Size: float64(k.MinSize), Area: float64(k.MinArea)})
	}
	boxes = boxes.Convert(k.Format)
	n, name := boxes.Len(), r.fields[i].name(s.view)
	labels := boxes.Labels
	if labels == nil {
		labels = make([]int64, n)
		for j := range labels {
			labels[j] = -1
		}
	}
	r.values[i] = append(r.values[i],
		floats(name, boxes.Coords, n, 4),
		integers(name+".labels", labels),
		integers(name+".index", boxes.Index))
	return nil
}

// points parses points, and transforms them as the image was.
func (r *run) points(i int, _ Points, leader Image, s shown) error {
	data, err := r.read(i)
	if err != nil {
		return err
	}
	points, err := annotation.ParsePoints(data)
	if err != nil {
		return spool.InFile(err, r.inputs[r.fields[i].input].Info().Name)
	}
	g, err := s.geometry(leader)
	if err != nil {
		return err
	}
	points.Integer = false
	points = points.Transform(g)
	n, columns, coords := points.Len(), 2, points.Coords
	if points.Visibility != nil {
		columns, coords = 3, make([]float32, 0, 3*n)
		for j := range n {
			coords = append(coords, points.Coords[2*j], points.Coords[2*j+1], points.Visibility[j])
		}
	}
	r.values[i] = append(r.values[i], floats(r.fields[i].name(s.view), coords, n, columns))
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
