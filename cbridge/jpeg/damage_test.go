package jpeg_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/stoptest"
)

// least accepts every image with any decoded coefficient.
const least = 1e-9

func TestStopsSoon(t *testing.T) {
	data, err := os.ReadFile("../../testdata/photos/animal/00.jpg")
	require.NoError(t, err)
	h, err := jpeg.ReadHeader(data)
	require.NoError(t, err)
	dst := make([]byte, 3*h.Width*h.Height)
	stoptest.Soon(t, func(looks int32) error {
		_, err := lanetest.Within(t, looks,
			func(c *call.Call) (jpeg.Report, error) { return jpeg.Decode(c, data, jpeg.Options{Dst: dst}) })
		return err
	})
}

// severalScans reports whether an image of testdata has several scans.
func severalScans(name string) bool {
	return strings.HasPrefix(name, "p") || strings.Contains(name, "progressive") || name == "scans.jpg"
}

// everyByte names an image of each kind. The others are cut at every seventh byte and at the last.
var everyByte = map[string]bool{"s420.jpg": true, "p420.jpg": true, "gray_progressive.jpg": true,
	"restart_rows.jpg": true,
	"scans.jpg":        true, "arithmetic.jpg": true, "arithmetic_progressive.jpg": true, "17x17.jpg": true,
	"1x1.jpg": true}

func TestCuts(t *testing.T) {
	for name := range lanetest.Goldens[golden](t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := lanetest.Read(t, name)
			whole, all, err := decode(t, data, jpeg.Options{})
			require.NoError(t, err)
			dst, row := make([]byte, len(whole)), 3*all.Width
			var last jpeg.Report
			step := 7
			if everyByte[name] {
				step = 1
			}
			for n := 0; n < len(data); n += min(step, max(1, len(data)-1-n)) {
				_, err := run(t, data[:n], jpeg.Options{Dst: dst})
				class := spool.ErrTruncated
				switch n {
				case 0:
					class = spool.ErrEmpty
				case 1:
					class = spool.ErrNotMedia
				}
				require.ErrorIs(t, err, class, "cut to %d bytes", n)

				report, err := run(t, data[:n], jpeg.Options{Dst: dst, Accept: least})
				require.GreaterOrEqual(t, report.Rows, last.Rows, "cut to %d bytes", n)
				require.GreaterOrEqual(t, report.Fraction, last.Fraction, "cut to %d bytes", n)
				require.LessOrEqual(t, report.Fraction, 1.0)
				last = report
				if err != nil {
					require.ErrorIs(t, err, class)
					require.Zero(t, report.Fraction, "cut to %d bytes", n)
					continue
				}
				require.True(t, report.Truncated)
				require.Positive(t, report.Fraction)
				if severalScans(name) {
					continue
				}
				require.Equal(t, lanetest.Digest(whole[:report.Rows*row]), lanetest.Digest(dst[:report.Rows*row]),
					"cut to %d bytes", n)
				require.InDelta(t, float64(report.Rows)/float64(all.Height), report.Fraction, 33/float64(all.Height))
				if 0 < report.Rows && report.Rows < all.Height { // a cut below the decoded rows is no loss
					window, err := run(t, data[:n], jpeg.Options{Dst: dst, Last: report.Rows})
					require.NoError(t, err, "cut to %d bytes", n)
					require.Equal(t, report.Rows, window.Rows)
					require.False(t, window.Truncated)
				}
			}
			if !strings.HasPrefix(name, "arithmetic") { // arithmetic decoding always reads to the end
				assert.Equal(t, all.Height, last.Rows, "only the end marker is missing")
				assert.Equal(t, 1.0, last.Fraction)
			}
		})
	}
}

// Many writers append an end marker to truncated data. In arithmetic coding the format allows zeros at the end to be
// left off, so such a truncation cannot be detected.
func TestCutWithAnEndMarker(t *testing.T) {
	for name := range lanetest.Goldens[golden](t) {
		if severalScans(name) || strings.HasPrefix(name, "arithmetic") {
			continue
		}
		data := lanetest.Read(t, name)
		scan := bytes.Index(data, []byte{0xFF, 0xDA})
		scan += 2 + int(binary.BigEndian.Uint16(data[scan+2:]))
		step := 7
		if everyByte[name] {
			step = 1
		}
		for n := scan; n < len(data)-2; n += step {
			cut := append(bytes.Clone(data[:n]), 0xFF, 0xD9)
			_, report, err := decode(t, cut, jpeg.Options{})
			require.ErrorIs(t, err, spool.ErrTruncated, "%s cut to %d bytes", name, n)
			require.True(t, report.Truncated)
		}
	}
}

func TestEndBeforeEachComponentHadAScan(t *testing.T) {
	data := lanetest.Read(t, "scans.jpg")
	second := bytes.LastIndex(data, []byte{0xFF, 0xDA})
	cut := append(bytes.Clone(data[:second]), 0xFF, 0xD9)
	_, report, err := decode(t, cut, jpeg.Options{})
	assert.ErrorIs(t, err, spool.ErrTruncated)
	assert.Zero(t, report.Fraction)
	_, _, err = decode(t, cut, jpeg.Options{Accept: least})
	assert.ErrorIs(t, err, spool.ErrTruncated)
}

// libjpeg reads a second frame header over the first before it refuses it.
func TestEndWithinASecondFrame(t *testing.T) {
	for _, name := range []string{"s420.jpg", "p420.jpg", "scans.jpg", "arithmetic.jpg", "gray.jpg"} {
		data := lanetest.Read(t, name)
		for _, kind := range []byte{0xC0, 0xC1, 0xC2, 0xC9, 0xCA} {
			frame := []byte{0xFF, kind, 0, 11, 8, 0xFF, 0, 0xFF, 0, 0xFF, 1, 2, 3}
			for n := 2; n < len(frame); n++ {
				_, _, err := decode(t, append(bytes.Clone(data[:len(data)-2]), frame[:n]...), jpeg.Options{Accept: least})
				require.ErrorIs(t, err, spool.ErrCorrupt, "%s, % x", name, frame[:n])
			}
		}
	}
}

func TestAcceptIsAThreshold(t *testing.T) {
	data := lanetest.Read(t, "s420.jpg")
	cut := data[:len(data)*3/4]
	_, report, err := decode(t, cut, jpeg.Options{})
	require.ErrorIs(t, err, spool.ErrTruncated)
	require.Greater(t, report.Fraction, 0.2)
	require.Less(t, report.Fraction, 0.9)

	_, _, err = decode(t, cut, jpeg.Options{Accept: report.Fraction + 0.001})
	assert.ErrorIs(t, err, spool.ErrTruncated)
	_, again, err := decode(t, cut, jpeg.Options{Accept: report.Fraction})
	assert.NoError(t, err)
	assert.Equal(t, report.Fraction, again.Fraction)
	assert.True(t, again.Truncated)
	_, _, err = decode(t, data, jpeg.Options{Accept: 1})
	assert.NoError(t, err)
}

// A cut image whose requested rows begin below the cut has none of them.
func TestAcceptedImageWithoutTheRowsWanted(t *testing.T) {
	for _, name := range []string{"s420.jpg", "p420.jpg", "scans.jpg"} {
		data := lanetest.Read(t, name)
		for n := range data {
			dst := bytes.Repeat([]byte{0xAB}, 3*41*3)
			report, err := run(t, data[:n], jpeg.Options{Dst: dst, First: 90, Last: 93, Accept: least})
			if err == nil && report.Rows == 0 {
				require.Equal(t, bytes.Repeat([]byte{0xAB}, len(dst)), dst, "%s cut to %d bytes", name, n)
			}
		}
	}
}

func TestWarningsAreCountedAndDecoded(t *testing.T) {
	data := lanetest.Read(t, "s420.jpg")
	whole, _, err := decode(t, data, jpeg.Options{})
	require.NoError(t, err)
	extra := append(bytes.Clone(data[:len(data)-2]), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0xFF, 0xD9)
	pixels, report, err := decode(t, extra, jpeg.Options{})
	require.NoError(t, err)
	assert.Equal(t, 1, report.Warnings)
	assert.Contains(t, report.Warning, "extraneous")
	assert.False(t, report.Truncated)
	assert.Equal(t, lanetest.Digest(whole), lanetest.Digest(pixels))
}

// frame returns the offset of the start-of-frame marker.
func frame(t testing.TB, data []byte) int {
	t.Helper()
	for _, kind := range []byte{0xC0, 0xC1, 0xC2} {
		if at := bytes.Index(data, []byte{0xFF, kind, 0}); at > 0 {
			return at
		}
	}
	t.Fatal("no frame")
	return 0
}

func TestClassesOfErrors(t *testing.T) {
	at := func(offset int, bytes ...byte) func([]byte, int) []byte {
		return func(data []byte, frame int) []byte {
			copy(data[frame+offset:], bytes)
			return data
		}
	}
	for name, test := range map[string]struct {
		change func(data []byte, frame int) []byte
		class  spool.Class
	}{
		"12 bits":              {at(4, 12), spool.ErrUnsupported},
		"lossless":             {at(1, 0xC3), spool.ErrUnsupported},
		"hierarchical":         {at(1, 0xC5), spool.ErrUnsupported},
		"height to come (DNL)": {at(5, 0, 0), spool.ErrUnsupported},
		"65535 wide":           {at(7, 0xFF, 0xFF), spool.ErrTooLarge},
		"sampling of 0":        {at(11, 0x02), spool.ErrCorrupt},
		"marker of length 0":   {at(2, 0, 0), spool.ErrCorrupt},
		"a second frame": {func(d []byte, f int) []byte { return bytes.Join([][]byte{d[:f+19], d[f:]}, nil) },
			spool.ErrCorrupt},
		"tables and no image": {func(d []byte, f int) []byte { return append(d[:f:f], 0xFF, 0xD9) }, spool.ErrCorrupt},
		"no SOI":              {func(d []byte, _ int) []byte { return d[2:] }, spool.ErrNotMedia},
	} {
		t.Run(name, func(t *testing.T) {
			data := lanetest.Read(t, "s420.jpg")
			_, _, err := decode(t, test.change(data, frame(t, data)), jpeg.Options{})
			require.ErrorIs(t, err, test.class)
			var e *spool.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, "libjpeg-turbo", e.Lib)
			assert.Positive(t, e.Code)
			assert.NotEmpty(t, e.Text)
		})
	}
}

func TestTwoComponentsHaveNoColour(t *testing.T) {
	data := lanetest.Read(t, "s444.jpg")
	f := frame(t, data)
	s := bytes.Index(data, []byte{0xFF, 0xDA})
	two := bytes.Join([][]byte{data[:f+2], {0, 14}, data[f+4 : f+9], {2}, data[f+10 : f+16], data[f+19 : s+2], {0, 10, 2},
		data[s+5 : s+9], data[s+11:]}, nil)
	h, err := jpeg.ReadHeader(two)
	require.NoError(t, err)
	assert.Equal(t, 2, h.Components)
	assert.Equal(t, jpeg.SpaceUnknown, h.Space)
	_, _, err = decode(t, two, jpeg.Options{})
	assert.ErrorIs(t, err, spool.ErrUnsupported)
}

func TestHugeHeaderCostsNothing(t *testing.T) {
	data := lanetest.Read(t, "s420.jpg")
	copy(data[frame(t, data)+5:], []byte{0xFF, 0xDC, 0xFF, 0xDC}) // 65500 x 65500
	h, err := jpeg.ReadHeader(data)
	require.NoError(t, err)
	assert.Equal(t, 65500, h.Width)
	_, err = run(t, data, jpeg.Options{Dst: make([]byte, 1000)})
	assert.ErrorIs(t, err, spool.ErrShape)
}

func TestMemoryOfSeveralScansIsBounded(t *testing.T) {
	for _, name := range []string{"p420.jpg", "scans.jpg", "arithmetic_progressive.jpg"} {
		_, _, err := decode(t, lanetest.Read(t, name), jpeg.Options{MaxMemory: 1})
		assert.ErrorIs(t, err, spool.ErrTooLarge, name)
		_, _, err = decode(t, lanetest.Read(t, name), jpeg.Options{MaxMemory: -1})
		assert.NoError(t, err, name)
	}
	_, _, err := decode(t, lanetest.Read(t, "s420.jpg"), jpeg.Options{MaxMemory: 1})
	assert.NoError(t, err, "one scan needs no coefficients")
}

func TestScansAreBounded(t *testing.T) {
	data := lanetest.Read(t, "p420.jpg")
	refinement := bytes.Index(data, []byte{0, 0, 0x10}) // of DC: one bit a block, which may be sent repeatedly
	start := bytes.LastIndex(data[:refinement], []byte{0xFF, 0xDA})
	end := refinement + bytes.Index(data[refinement:], []byte{0xFF, 0xDA})
	bomb := func(scans int) []byte {
		return bytes.Join([][]byte{data[:start], bytes.Repeat(data[start:end], scans), data[end:]}, nil)
	}
	_, _, err := decode(t, bomb(501), jpeg.Options{})
	assert.ErrorIs(t, err, spool.ErrTooLarge)
	assert.ErrorContains(t, err, "500 scans")
	_, report, err := decode(t, bomb(400), jpeg.Options{})
	assert.NoError(t, err)
	t.Log(report)
}

func TestHeaderErrorsAreTheDecodersOwn(t *testing.T) {
	data := lanetest.Read(t, "cmyk.jpg")
	end := bytes.Index(data, []byte{0xFF, 0xDA})
	end += 2 + int(binary.BigEndian.Uint16(data[end+2:]))
	for n := range end {
		_, err := jpeg.ReadHeader(data[:n])
		require.Error(t, err)
		_, err2 := run(t, data[:n], jpeg.Options{})
		var e, e2 *spool.Error
		require.True(t, errors.As(err, &e) && errors.As(err2, &e2))
		require.Equal(t, e.Class, e2.Class, "cut to %d bytes", n)
		require.Equal(t, e.Code, e2.Code, "cut to %d bytes", n)
	}
	_, err := jpeg.ReadHeader(data[:end])
	assert.NoError(t, err)
}
