package image_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/resize"
)

// crossings is the least number of calls into C of several decodes: other goroutines may call C meanwhile.
func crossings(t *testing.T, decode func(i int)) int64 {
	t.Helper()
	least := int64(1 << 62)
	for i := range 20 {
		before := runtime.NumCgoCall()
		decode(i)
		least = min(least, runtime.NumCgoCall()-before)
	}
	return least
}

// An image costs three calls into C: the header, the sink and the decode. A new geometry costs no other.
func TestCallsIntoC(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, "../../cbridge/jpeg/testdata/s420.jpg")
	ctx, cancel := context.WithCancel(t.Context()) // contexts that may end must cost no more
	defer cancel()
	fast := func(width int) image.Spec {
		return image.Spec{Resize: resize.Spec{Width: width, Height: 5, Profile: resize.Fast}}
	}
	for _, test := range []struct {
		name string
		spec func(i int) image.Spec
		most int64
	}{
		{"a geometry again", func(int) image.Spec { return image.Spec{Resize: resize.Spec{Width: 9, Height: 9}} }, 3},
		{"a new geometry", func(i int) image.Spec { return image.Spec{Resize: resize.Spec{Width: 10 + i, Height: 9}} }, 3},
		{"planes of a geometry again", func(int) image.Spec { return fast(5) }, 3},
		{"planes of a new geometry", func(i int) image.Spec { return fast(3 + i) }, 3},
	} {
		most := crossings(t, func(i int) {
			buffer, report, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, test.spec(i))
			require.NoError(t, err)
			require.Equal(t, "own", report.Trace.Engine)
			require.Equal(t, strings.HasPrefix(test.name, "planes"), report.Trace.Scale.Luma > 0)
			buffer.Release()
		})
		assert.LessOrEqual(t, most, test.most, test.name)
		assert.Positive(t, most, test.name)
	}
}
