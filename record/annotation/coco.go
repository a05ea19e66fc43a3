package annotation

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/jsonscan"
)

// Annotation is what COCO's object detection format says of one thing in an image.
type Annotation struct {
	ID           int64 // 0 if missing
	Category     int64
	Crowd        bool         // a group, whose box and segmentation cover more than one thing
	Box          []float32    // left, top, width, height; nil if missing
	Keypoints    []float32    // x, y and visibility of each point; nil if missing
	Segmentation Segmentation // empty if missing

	wholeBox, wholeKeypoints bool // written as integers
}

// ParseCOCO parses a list of COCO's annotations, those of one image:
//
//	[{"category_id": 3, "bbox": [x, y, w, h], "iscrowd": 0, "segmentation": ..., "keypoints": ...}, ...]
//
// It may also be in an object, {"annotations": [...]}. A category is necessary, and other members are ignored. A
// segmentation is polygons, [[x, y, x, y, ...], ...], or a mask as run lengths, {"size": [h, w], "counts": ...},
// compressed or not. Memory and errors are as for ParseBoxes.
func ParseCOCO(data []byte) ([]Annotation, error) {
	s := jsonscan.New(data)
	list, err := readCOCO(s)
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return nil, classified(err)
	}
	return list, nil
}

func readCOCO(s *jsonscan.Scanner) (list []Annotation, err error) {
	if s.Next() != jsonscan.Object {
		return readAnnotations(s)
	}
	at := s.Offset()
	err = s.Object(func(name string) (err error) {
		if name != "annotations" {
			return s.Skip()
		}
		if list != nil {
			return s.Errorf("annotations, after others")
		}
		list, err = readAnnotations(s)
		return err
	})
	if err == nil && list == nil {
		err = jsonscan.ErrorAt(at, `no "annotations"`)
	}
	return list, err
}

func readAnnotations(s *jsonscan.Scanner) ([]Annotation, error) {
	list := []Annotation{}
	err := s.Array(func(int) error {
		a, err := readAnnotation(s)
		list = append(list, a)
		return err
	})
	return list, err
}

func readAnnotation(s *jsonscan.Scanner) (a Annotation, err error) {
	at, category := s.Offset(), false
	err = s.Object(func(name string) (err error) {
		switch name {
		case "id":
			if s.Next() == jsonscan.Number {
				a.ID, err = s.Int()
				return err
			}
		case "category_id":
			category = true
			a.Category, err = s.Int()
			return err
		case "iscrowd":
			a.Crowd, err = readFlag(s)
			return err
		case "bbox":
			return a.readBox(s)
		case "keypoints":
			return a.readKeypoints(s)
		case "segmentation":
			a.Segmentation, err = readSegmentation(s)
			return err
		}
		return s.Skip()
	})
	if err == nil && !category {
		err = jsonscan.ErrorAt(at, `an annotation without "category_id"`)
	}
	return a, err
}

// readFlag reads 0, 1, true or false.
func readFlag(s *jsonscan.Scanner) (bool, error) {
	if s.Next() != jsonscan.Number {
		return s.Bool()
	}
	n, err := s.Int()
	return n != 0, err
}

func (a *Annotation) readBox(s *jsonscan.Scanner) error {
	if s.Next() == jsonscan.Null {
		return s.Null()
	}
	n := numbers{values: make([]float32, 0, 4)}
	at := s.Offset()
	count, err := n.tuple(s, 0, 4)
	switch {
	case err != nil:
		return err
	case count == 0:
		return nil
	case count < 4:
		return jsonscan.ErrorAt(at, "fewer than 4 numbers")
	}
	a.Box, a.wholeBox = n.values, !n.fractional
	return nil
}

func (a *Annotation) readKeypoints(s *jsonscan.Scanner) error {
	if s.Next() == jsonscan.Null {
		return s.Null()
	}
	var p pointReader
	at := s.Offset()
	if err := s.Array(func(i int) error { return p.number(s, i%3) }); err != nil {
		return err
	}
	if len(p.values)%3 != 0 {
		return jsonscan.ErrorAt(at, "%d numbers, not three of each point", len(p.values))
	}
	a.Keypoints, a.wholeKeypoints = p.values, !p.fractional
	return nil
}

// BoxesOf returns the boxes of annotations, in format XYWH. Labels are the categories. The error is spool.ErrCorrupt if
// one has no box.
func BoxesOf(list []Annotation) (Boxes, error) {
	n := numbers{values: make([]float32, 0, 4*len(list))}
	labels := make([]int64, len(list))
	for i, a := range list {
		if len(a.Box) != 4 {
			return Boxes{}, failed(spool.ErrCorrupt, "annotation %d has no box", i)
		}
		n.values = append(n.values, a.Box...)
		n.fractional = n.fractional || !a.wholeBox
		labels[i] = a.Category
	}
	return newBoxes(XYWH, n, labels), nil
}

// PointsOf returns the key points of annotations. Index has the annotations' positions. An annotation without key
// points adds none.
func PointsOf(list []Annotation) Points {
	p := pointReader{width: 3}
	for i, a := range list {
		p.values = append(p.values, a.Keypoints...)
		p.fractional = p.fractional || !a.wholeKeypoints && len(a.Keypoints) > 0
		for range len(a.Keypoints) / 3 {
			p.index = append(p.index, int64(i))
		}
	}
	return p.points()
}
