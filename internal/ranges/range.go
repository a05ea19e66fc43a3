package ranges

import (
	"cmp"
	"slices"
)

// Range is the bytes [Begin, End) of an object.
type Range struct{ Begin, End int64 }

// Len returns the number of bytes.
func (r Range) Len() int64 { return r.End - r.Begin }

// Merge sorts ranges, and joins ranges whose gap is at most gap bytes: reading a small gap costs less than a request.
// It drops empty ranges. It does not modify its argument.
func Merge(list []Range, gap int64) []Range {
	sorted := slices.SortedFunc(slices.Values(list), func(a, b Range) int { return cmp.Compare(a.Begin, b.Begin) })
	var merged []Range
	for _, r := range sorted {
		if r.Len() <= 0 {
			continue
		}
		if last := len(merged) - 1; last >= 0 && r.Begin <= merged[last].End+gap {
			merged[last].End = max(merged[last].End, r.End)
			continue
		}
		merged = append(merged, r)
	}
	return merged
}
