package object

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/source"
)

func TestMerge(t *testing.T) {
	const k = 1 << 10
	for _, test := range []struct {
		name             string
		ranges           [][2]int64 // offset, length
		gap, spare, most int64
		want             [][2]int64
	}{
		{"one", [][2]int64{{5, 7}}, 0, 0, 1 << 20, [][2]int64{{5, 7}}},
		{"that touch", [][2]int64{{0, k}, {k, k}}, 0, 0, 1 << 20, [][2]int64{{0, 2 * k}}},
		{"a few bytes apart", [][2]int64{{0, k}, {9 * k, k}, {18*k + 1, k}}, 0, 0, 1 << 20, [][2]int64{{0, 10 * k}, {18*k + 1, k}}},
		{"as long as there is some to spare", [][2]int64{{0, k}, {21 * k, k}, {42 * k, k}}, 20 * k, 30 * k, 1 << 20, [][2]int64{{0, 22 * k}, {42 * k, k}}},
		{"too far apart", [][2]int64{{0, k}, {22 * k, k}}, 20 * k, 30 * k, 1 << 20, [][2]int64{{0, k}, {22 * k, k}}},
		{"too much for one request", [][2]int64{{0, 3 * k}, {3 * k, k}, {4 * k, k}}, 0, 0, 4 * k, [][2]int64{{0, 4 * k}, {4 * k, k}}},
		{"that overlap", [][2]int64{{0, 2 * k}, {k, 2 * k}}, 20 * k, 30 * k, 1 << 20, [][2]int64{{0, 2 * k}, {k, 2 * k}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var ranges []source.Range
			for _, r := range test.ranges {
				ranges = append(ranges, source.Range{Off: r[0], Bytes: make([]byte, r[1])})
			}
			var got [][2]int64
			for _, r := range merge(ranges, test.gap, test.spare, test.most) {
				got = append(got, [2]int64{r.off, r.memory.size()})
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestScatter(t *testing.T) {
	s := scatter{[]byte("abc"), nil, []byte("d"), []byte("efgh")}
	join := func(s scatter) string {
		all := ""
		for _, p := range s {
			all += string(p)
		}
		return all
	}
	for from := range 9 {
		for to := range 9 - from {
			assert.Equal(t, "abcdefgh"[from:from+to], join(s.from(int64(from)).to(int64(to))))
		}
	}
	assert.EqualValues(t, 8, s.size())
	assert.Equal(t, "abcdefgh", join(s), "it is as it was")
}
