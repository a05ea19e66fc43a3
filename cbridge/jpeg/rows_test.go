package jpeg_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/jpeg"
)

// libjpeg skips rows without decoding them; upsampling looks across the rows' border, so that every
// start has to be tried.
func TestRowsAreThoseOfTheWholePicture(t *testing.T) {
	for name := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := read(t, name)
			for _, color := range []jpeg.Color{jpeg.RGB, jpeg.Gray} {
				whole, all, err := decode(t, data, jpeg.Options{Color: color})
				require.NoError(t, err)
				row := all.Width * color.Channels()
				step := max(1, all.Height/97)
				for first := 0; first <= all.Height; first += step {
					for _, last := range []int{first, first + 1, first + 18, all.Height} {
						if last == 0 || last > all.Height {
							continue
						}
						dst := make([]byte, (last-first)*row)
						report, err := run(t, data, jpeg.Options{Color: color, Dst: dst, First: first, Last: last})
						require.NoError(t, err)
						require.Equal(t, last-first, report.Rows)
						require.Equal(t, digest(whole[first*row:last*row]), digest(dst), "rows [%d, %d)", first, last)
					}
				}
			}
		})
	}
}

func TestStride(t *testing.T) {
	data := read(t, "s420.jpg")
	whole, all, err := decode(t, data, jpeg.Options{})
	require.NoError(t, err)
	row, stride := 3*all.Width, 3*all.Width+13
	dst := make([]byte, stride*(all.Height-1)+row)
	for i := range dst {
		dst[i] = 0xAB
	}
	_, err = run(t, data, jpeg.Options{Dst: dst, Stride: stride})
	require.NoError(t, err)
	for y := range all.Height {
		require.Equal(t, whole[y*row:(y+1)*row], dst[y*stride:y*stride+row])
		if y < all.Height-1 {
			for _, b := range dst[y*stride+row : (y+1)*stride] {
				require.EqualValues(t, 0xAB, b, "written between the rows")
			}
		}
	}
}

func TestDestinationsThatDoNotFit(t *testing.T) {
	data := read(t, "s420.jpg") // 41x93
	const row = 3 * 41
	for name, o := range map[string]jpeg.Options{
		"none":            {},
		"a byte short":    {Dst: make([]byte, 93*row-1)},
		"gap at the end":  {Dst: make([]byte, 93*row+91), Stride: row + 1},
		"narrow stride":   {Dst: make([]byte, 93*row), Stride: row - 1},
		"rows below":      {Dst: make([]byte, 200*row), First: 10, Last: 94},
		"first row below": {Dst: make([]byte, 200*row), First: 94},
	} {
		_, err := run(t, data, o)
		assert.ErrorIs(t, err, spool.ErrShape, name)
	}
	_, err := run(t, data, jpeg.Options{Dst: make([]byte, 93*row+92), Stride: row + 1})
	assert.NoError(t, err)
}

func TestOptionsAreCheckedAtOnce(t *testing.T) {
	_, err := run(t, read(t, "s420.jpg"), jpeg.Options{Color: 9, First: -1, Stride: -1, Accept: 2})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, part := range []string{"Color 9", "[-1, 0)", "Stride -1", "Accept 2"} {
		assert.ErrorContains(t, err, part)
	}
	_, err = run(t, read(t, "s420.jpg"), jpeg.Options{First: 70000})
	assert.ErrorIs(t, err, spool.ErrOptions)
}
