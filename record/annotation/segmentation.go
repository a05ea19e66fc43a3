package annotation

import (
	"fmt"
	"math"

	"github.com/spoolmedia/spool/internal/jsonscan"
)

// Segmentation is the area of an annotation: polygons or run lengths. Without either it is empty.
type Segmentation struct {
	Polygons [][]float64 // x and y of each corner; the area is the union
	RLE      *RLE
}

func readSegmentation(s *jsonscan.Scanner) (Segmentation, error) {
	switch s.Next() {
	case jsonscan.Null:
		return Segmentation{}, s.Null()
	case jsonscan.Object:
		rle, err := readRLE(s)
		return Segmentation{RLE: rle}, err
	}
	var g Segmentation
	err := s.Array(func(int) error {
		polygon, err := readPolygon(s)
		g.Polygons = append(g.Polygons, polygon)
		return err
	})
	return g, err
}

// readPolygon reads the corners of a polygon. Two are allowed, and have no area.
func readPolygon(s *jsonscan.Scanner) ([]float64, error) {
	var corners []float64
	at := s.Offset()
	err := s.Array(func(int) error {
		n, _, err := s.Float()
		corners = append(corners, n)
		return err
	})
	if problem := polygonProblem(corners); err == nil && problem != "" {
		err = jsonscan.ErrorAt(at, "%s", problem)
	}
	return corners, err
}

// polygonProblem describes what is wrong with a polygon. It is "" for valid ones.
func polygonProblem(corners []float64) string {
	if n := len(corners); n < 4 || n%2 != 0 {
		return fmt.Sprintf("a polygon of %d numbers", n)
	}
	for _, n := range corners {
		if !(math.Abs(n) <= maxCorner) {
			return fmt.Sprintf("a polygon with a corner at %v, beyond %d", n, maxCorner)
		}
	}
	return ""
}
