package ranges

import (
	"cmp"
	"slices"
)

// Range is the bytes [Begin, End) of an object.
type Range struct{ Begin, End int64 }

// Len is how many bytes there are.
func (r Range) Len() int64 { return r.End - r.Begin }

// Merge sorts ranges and makes one of those between which there are at most gap bytes: to read these costs less than a
// request. Empty ones are left out. The argument is only read.
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
