package annotation

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/jsonscan"
)

// ParseBoxes parses the boxes of an image. The format is that of arrays. The forms are:
//
//   - JSON: [[x, y, w, h], ...]
//   - JSON: {"boxes": [[x, y, w, h], ...], "labels": [3, ...]}; or "bboxes" or "bbox", and "category", as in data sets
//     of Hugging Face. Other members are ignored.
//   - JSON: COCO's annotations of one image, as for ParseCOCO, or {"annotations": [...]}. Their boxes are in format
//     XYWH, and their categories are the labels.
//   - NPY: an array [n, 4] of integers or floats.
//
// All numbers of an input are integers if none is written with a fraction or an exponent, as torch.tensor decides.
// Memory is at most about 20 times the size of the data. Errors are of class spool.ErrCorrupt, and name the position;
// those of NPY files are also of package source/npy.
func ParseBoxes(data []byte, f Format) (Boxes, error) {
	if isNPY(data) {
		n, shape, err := parseArray(data)
		if err != nil {
			return Boxes{}, err
		}
		if len(shape) != 2 || shape[1] != 4 {
			return Boxes{}, failed(spool.ErrCorrupt, "an array of shape %v, not [n 4]", shape)
		}
		return newBoxes(f, n, nil), nil
	}
	s := jsonscan.New(data)
	b, err := readBoxes(s, f)
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return Boxes{}, classified(err)
	}
	return b, nil
}

func newBoxes(f Format, n numbers, labels []int64) Boxes {
	b := Boxes{Format: f, Coords: n.values, Labels: labels, Integer: !n.fractional && len(n.values) > 0}
	b.Index = make([]int64, b.Len())
	for i := range b.Index {
		b.Index[i] = int64(i)
	}
	return b
}

func readBoxes(s *jsonscan.Scanner, f Format) (Boxes, error) {
	if s.Next() != jsonscan.Object {
		return readBoxList(s, f)
	}
	at, found, labelsAt := s.Offset(), "", 0
	var b Boxes
	var labels []int64
	err := s.Object(func(name string) (err error) {
		switch name {
		case "boxes", "bboxes", "bbox", "annotations":
			if found != "" {
				return s.Errorf("boxes, after those of %q", found)
			}
			found = name
			if name == "annotations" {
				b, err = readCOCOBoxes(s)
			} else {
				b, err = readBoxList(s, f)
			}
			return err
		case "labels", "category":
			if labels != nil {
				return s.Errorf("labels, after others")
			}
			labelsAt = s.Offset()
			labels, err = readLabels(s)
			return err
		}
		return s.Skip()
	})
	switch {
	case err != nil:
		return Boxes{}, err
	case found == "":
		return Boxes{}, jsonscan.ErrorAt(at, `none of "boxes", "bboxes", "bbox" and "annotations"`)
	case labels == nil || found == "annotations":
		return b, nil
	case len(labels) != b.Len():
		return Boxes{}, jsonscan.ErrorAt(labelsAt, "%d labels of %d boxes", len(labels), b.Len())
	}
	b.Labels = labels
	return b, nil
}

// readBoxList reads an array of boxes, or of COCO's annotations.
func readBoxList(s *jsonscan.Scanner, f Format) (Boxes, error) {
	n := numbers{values: []float32{}}
	coco, err := readList(s, func(int) error {
		_, err := n.tuple(s, 4, 4)
		return err
	})
	if err == nil && coco != nil {
		return BoxesOf(coco)
	}
	return newBoxes(f, n, nil), err
}

func readCOCOBoxes(s *jsonscan.Scanner) (Boxes, error) {
	list, err := readAnnotations(s)
	if err != nil {
		return Boxes{}, err
	}
	return BoxesOf(list)
}

func readLabels(s *jsonscan.Scanner) ([]int64, error) {
	labels := []int64{}
	err := s.Array(func(int) error {
		label, err := s.Int()
		labels = append(labels, label)
		return err
	})
	return labels, err
}

// readList reads an array of COCO's annotations, if its first element is one, or of what element reads. In that case
// the annotations are nil.
func readList(s *jsonscan.Scanner, element func(i int) error) (coco []Annotation, err error) {
	err = s.Array(func(i int) error {
		if i == 0 && s.Next() == jsonscan.Object {
			coco = []Annotation{}
		}
		if coco == nil {
			return element(i)
		}
		a, err := readAnnotation(s)
		coco = append(coco, a)
		return err
	})
	return coco, err
}
