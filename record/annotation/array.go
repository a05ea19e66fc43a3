package annotation

import (
	"bytes"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/npy"
)

// isNPY reports whether data begins as an NPY file does.
func isNPY(data []byte) bool { return bytes.HasPrefix(data, []byte("\x93NUMPY")) }

// parseArray reads the numbers of an NPY file.
func parseArray(data []byte) (n numbers, shape []int, err error) {
	a, rest, err := npy.Parse(data)
	if err != nil {
		return numbers{}, nil, err
	}
	if len(rest) > 0 {
		return numbers{}, nil, failed(spool.ErrCorrupt, "%d bytes after the array", len(rest))
	}
	switch (npy.Type{Kind: a.Type.Kind, Size: a.Type.Size}) {
	case npy.Type{Kind: npy.Float, Size: 4}:
		err = appendValues[float32](&n, a)
	case npy.Type{Kind: npy.Float, Size: 8}:
		err = appendValues[float64](&n, a)
	case npy.Type{Kind: npy.Int, Size: 1}:
		err = appendValues[int8](&n, a)
	case npy.Type{Kind: npy.Int, Size: 2}:
		err = appendValues[int16](&n, a)
	case npy.Type{Kind: npy.Int, Size: 4}:
		err = appendValues[int32](&n, a)
	case npy.Type{Kind: npy.Int, Size: 8}:
		err = appendValues[int64](&n, a)
	case npy.Type{Kind: npy.Uint, Size: 1}:
		err = appendValues[uint8](&n, a)
	case npy.Type{Kind: npy.Uint, Size: 2}:
		err = appendValues[uint16](&n, a)
	case npy.Type{Kind: npy.Uint, Size: 4}:
		err = appendValues[uint32](&n, a)
	default:
		err = failed(spool.ErrUnsupported, "coordinates of type %v", a.Type)
	}
	n.fractional = a.Type.Kind == npy.Float
	return n, a.Shape, err
}

// coordinate is a type of an array's elements.
type coordinate interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32
}

func appendValues[T interface {
	coordinate
	npy.Number
}](n *numbers, a npy.Array,
) error {
	values, err := npy.Values[T](a)
	if err != nil {
		return err
	}
	n.values = make([]float32, 0, len(values))
	for i, v := range values {
		if !n.add(float64(v)) {
			return failed(spool.ErrCorrupt, "element %d is %v, not a number of single precision", i, v)
		}
	}
	return nil
}
