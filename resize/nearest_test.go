package resize_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/resize"
)

// picked returns the source columns that a filter selects for an output width.
func picked(t *testing.T, f resize.Filter, box resize.Rect, in, out int) []int {
	t.Helper()
	var tables resize.Tables
	plan, err := resize.Spec{Width: out, Height: 1, Filter: f, Box: box}.Plan(in, 1, &tables)
	require.NoError(t, err)
	columns := make([]int, out)
	for i := range columns {
		columns[i] = plan.Left + i
		if h := plan.Horizontal; h.Start != nil {
			require.EqualValues(t, 1, h.Count[i])
			columns[i] = plan.Left + int(h.Start[i])
		}
	}
	return columns
}

// The pixels are those that torchvision selects, which usually differ from Pillow's.
func TestTorchvisionsNearest(t *testing.T) {
	text, err := os.ReadFile("../testdata/resize/nearest.json")
	require.NoError(t, err)
	var rows [][4]any
	require.NoError(t, json.Unmarshal(text, &rows))
	require.Greater(t, len(rows), 500)
	for _, row := range rows {
		in, out := int(row[0].(float64)), int(row[1].(float64))
		for k, filter := range []resize.Filter{resize.NearestFloor, resize.NearestExact} {
			var words []byte
			for _, column := range picked(t, filter, resize.Rect{}, in, out) {
				words = binary.LittleEndian.AppendUint32(words, uint32(column))
			}
			require.Equal(t, row[2+k], fmt.Sprintf("%x", sha256.Sum256(words))[:8], "%v: %d to %d", filter, in, out)
		}
	}
}

// At these centers, rounding the product before the difference selects the pixel before PyTorch 2.15's.
func TestNearestExactFuses(t *testing.T) {
	for _, c := range []struct{ in, out, at, want int }{{20, 470, 23, 1}, {8, 164, 20, 1}, {6, 369, 61, 1},
		{6, 477, 79, 1}} {
		require.Equal(t, c.want, picked(t, resize.NearestExact, resize.Rect{}, c.in, c.out)[c.at], "%d to %d", c.in, c.out)
	}
}

// A box is resized like an image of its own.
func TestNearestOfBoxes(t *testing.T) {
	for _, filter := range []resize.Filter{resize.NearestFloor, resize.NearestExact} {
		require.True(t, filter.Picks())
		for _, sizes := range [][3]int{{0, 7, 3}, {5, 7, 3}, {5, 95, 100}, {1, 100, 7}, {99, 1, 4}, {3, 41, 41}} {
			left, in, out := sizes[0], sizes[1], sizes[2]
			want := picked(t, filter, resize.Rect{}, in, out)
			got := picked(t, filter, resize.Rect{Left: left, Width: in, Height: 1}, left+in+1, out)
			for i := range want {
				want[i] += left
			}
			require.Equal(t, want, got, "%v: %v", filter, sizes)
		}
	}
	require.False(t, resize.Box.Picks())
}
