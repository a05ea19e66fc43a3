package source

import "context"

// Range is a piece of an object: the bytes at Off, which go to Bytes.
type Range struct {
	Off   int64
	Bytes []byte
}

// RangeReader is an Object to which several pieces cost less than one after the other: those of stores on a network.
type RangeReader interface {
	// ReadRanges fills all ranges, in any order. It returns when the last of them is there, or with the first error, by which
	// time their contents are unspecified; a range that the object ends in fails with io.EOF.
	ReadRanges(ctx context.Context, ranges []Range) error
}

// ReadRanges reads pieces of an object: as a RangeReader has it where the object is one, otherwise one after the other.
func ReadRanges(ctx context.Context, o Object, ranges []Range) error {
	if r, ok := o.(RangeReader); ok {
		return r.ReadRanges(ctx, ranges)
	}
	for _, r := range ranges {
		if n, err := readAtFull(ctx, o, r.Bytes, r.Off); n < len(r.Bytes) {
			return err
		}
	}
	return nil
}
