package image

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/raster"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
)

// goLaneFile is the record of a file of testdata/golanes in golanes.json.
type goLaneFile struct {
	Size [2]int
	Mode string
	RGB  string
	RGBA string
}

func goLaneFiles(tb testing.TB) map[string]goLaneFile {
	tb.Helper()
	text, err := os.ReadFile("testdata/golanes.json")
	require.NoError(tb, err)
	var report struct{ Files map[string]goLaneFile }
	require.NoError(tb, json.Unmarshal(text, &report))
	require.NotEmpty(tb, report.Files)
	return report.Files
}

func readGoLane(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/golanes", name))
	require.NoError(tb, err)
	return data
}

func formatOf(name string) format.Format {
	switch filepath.Ext(name) {
	case ".bmp":
		return format.BMP
	case ".tga":
		return format.TGA
	}
	return format.PNM
}

func openRaster(f format.Format, data []byte) (raster.Image, error) {
	switch f {
	case format.BMP:
		return raster.OpenBMP(data)
	case format.TGA:
		return raster.OpenTGA(data)
	}
	return raster.OpenPNM(data, false)
}

// collect decodes an image and checks the shape of the pushed rows. pixels are the rows that came before err.
func collect(tb testing.TB, r raster.Image) (pixels []byte, err error) {
	tb.Helper()
	row, pushed := r.Width*r.Channels, 0
	_, err = r.Rows(nil, func(rows []byte, n int) (bool, error) {
		if n < 1 || len(rows) != n*row || len(rows) > max(row, raster.StripBytes) {
			tb.Fatalf("a push of %d rows in %d bytes", n, len(rows))
		}
		pushed += n
		pixels = append(pixels, rows...)
		return false, nil
	})
	if err == nil && pushed != r.Height {
		tb.Fatalf("%d of %d rows", pushed, r.Height)
	}
	return pixels, err
}

// repeat converts pixels of 1, 3 or 4 channels to pixels of 3 or 4.
func repeat(pixels []byte, from, to int) []byte {
	out := make([]byte, 0, len(pixels)/from*to)
	for ; len(pixels) > 0; pixels = pixels[from:] {
		color := []byte{pixels[0], pixels[0], pixels[0], 0xff}
		copy(color, pixels[:from])
		if from == 1 {
			color[1], color[2] = pixels[0], pixels[0]
		}
		out = append(out, color[:to]...)
	}
	return out
}

func digest(pixels []byte) string {
	sum := sha256.Sum256(pixels)
	return hex.EncodeToString(sum[:])
}

func TestGoLanesGivePillowsPixels(t *testing.T) {
	for name, want := range goLaneFiles(t) {
		t.Run(name, func(t *testing.T) {
			data := readGoLane(t, name)
			require.Equal(t, formatOf(name), format.Of(data))
			r, err := openRaster(formatOf(name), data)
			require.NoError(t, err)
			require.Equal(t, want.Size, [2]int{r.Width, r.Height})
			pixels, err := collect(t, r)
			require.NoError(t, err)
			assert.Equal(t, want.RGB, digest(repeat(pixels, r.Channels, 3)))
			if want.RGBA != "" && r.Channels == 4 {
				assert.Equal(t, want.RGBA, digest(repeat(pixels, r.Channels, 4)))
			}
			assert.Equal(t, r.Channels == 4, r.Alpha)
			// an alpha channel that the file declares meaningless counts as none
			assert.Equal(t, want.RGBA != "" && name != "32_alpha_none.tga", r.Alpha)
			if want.Mode == "L" || want.Mode == "1" || want.Mode == "I" {
				assert.Equal(t, 1, r.Channels)
			}
		})
	}
}

func TestGoLanesOnSharedMedia(t *testing.T) {
	const media = "../../../shared/media"
	text, err := os.ReadFile(need.Media(t, "expected/index.json"))
	require.NoError(t, err)
	var index map[string]struct {
		RGB string `json:"rgb_sha256"`
	}
	require.NoError(t, json.Unmarshal(text, &index))
	for _, name := range []string{"formats/0.bmp", "formats/1.bmp", "formats/0.ppm", "formats/1.ppm", "libvips/small.bmp",
		"libvips/targa.tga"} {
		data, err := os.ReadFile(filepath.Join(media, name))
		require.NoError(t, err)
		require.Equal(t, formatOf(name), format.Of(data), name)
		r, err := openRaster(formatOf(name), data)
		require.NoError(t, err, name)
		pixels, err := collect(t, r)
		require.NoError(t, err, name)
		require.Equal(t, index[name].RGB, digest(repeat(pixels, r.Channels, 3)), name)
	}
}

// An image that ends early gives the rows above the gap, and then an error with their number. A file cut after its
// pixels gives all rows.
func TestGoLanesCutAnywhere(t *testing.T) {
	for _, name := range short.Some(slices.Sorted(maps.Keys(goLaneFiles(t))), 3) {
		t.Run(name, func(t *testing.T) {
			data, f := readGoLane(t, name), formatOf(name)
			whole, err := openRaster(f, data)
			require.NoError(t, err)
			want, err := collect(t, whole)
			require.NoError(t, err)
			want = repeat(want, whole.Channels, 3)
			refused := 0
			for n := 0; n < len(data); n++ {
				if n > 100 && n < len(data)-30 { // headers and the end byte by byte
					n += 6
				}
				r, err := openRaster(f, data[:n])
				var got []byte
				if err == nil {
					got, err = collect(t, r)
					got = repeat(got, r.Channels, 3) // a TGA file that lost its end has an alpha channel again
					require.True(t, bytes.HasPrefix(want, got) || endsInNumber(name, n, data), "cut at %d", n)
				}
				if err != nil {
					require.ErrorIs(t, err, spool.ErrTruncated, "cut at %d", n)
					refused++
				} else {
					require.Len(t, got, len(want), "cut at %d", n)
				}
				require.Equal(t, err != nil, truncated(f, data[:n]), "cut at %d", n)
			}
			require.Positive(t, refused)
			require.False(t, truncated(f, data))
		})
	}
}

// firstError is the first error of a decode.
func firstError(tb testing.TB, r raster.Image, err error) error {
	tb.Helper()
	if err == nil {
		_, err = collect(tb, r)
	}
	return err
}

// endsInNumber reports whether a cut is within a number of a plain PNM file, which cannot be detected.
func endsInNumber(name string, n int, data []byte) bool {
	return formatOf(name) == format.PNM && data[1] <= '3' && data[n] >= '0' && data[n] <= '9'
}

// big is an image of several strips, as raw PPM, and as BMP top down and bottom up.
func big() (pixels []byte, width, height int, files map[string][]byte) {
	width, height = 700, 301
	pixels = make([]byte, width*height*3)
	for i := range pixels {
		pixels[i] = byte(i * 7 / 5)
	}
	header := func(height int) []byte {
		h := make([]byte, 54)
		copy(h, "BM")
		for at, v := range map[int]int{10: 54, 14: 40, 18: width, 22: height, 28: 24} {
			binary.LittleEndian.PutUint32(h[at:], uint32(v))
		}
		return h
	}
	down, up := header(-height), header(height)
	for y := range height {
		for x := range width {
			a, b := (y*width+x)*3, ((height-1-y)*width+x)*3
			down = append(down, pixels[a+2], pixels[a+1], pixels[a])
			up = append(up, pixels[b+2], pixels[b+1], pixels[b])
		}
	}
	return pixels, width, height, map[string][]byte{
		"big.ppm": fmt.Appendf(nil, "P6 %d %d 255\n%s", width, height, pixels), "down.bmp": down, "up.bmp": up,
	}
}

func TestRowsComeInStrips(t *testing.T) {
	pixels, width, height, files := big()
	for name, data := range files {
		r, err := openRaster(formatOf(name), data)
		require.NoError(t, err)
		got, err := collect(t, r)
		require.NoError(t, err)
		require.Equal(t, digest(pixels), digest(got), name)

		pushes, rows := 0, 0
		_, err = r.Rows(nil, func(_ []byte, n int) (bool, error) {
			pushes++
			rows += n
			return pushes == 2, nil
		})
		require.NoError(t, err, name)
		require.Equal(t, 2, pushes, "no push after it was enough")
		require.Equal(t, 2*(raster.StripBytes/(3*width)), rows)

		stop := errors.New("stop")
		_, err = r.Rows(nil, func([]byte, int) (bool, error) { return false, stop })
		require.ErrorIs(t, err, stop)

		// cut within the last stored rows
		r, err = openRaster(formatOf(name), data[:len(data)-3*width*3/2])
		require.NoError(t, err)
		got, err = collect(t, r)
		require.ErrorIs(t, err, spool.ErrTruncated)
		require.ErrorContains(t, err, fmt.Sprintf("after %d of %d rows", height-2, height))
		if name == "up.bmp" {
			require.Empty(t, got, "the missing rows are the upper ones")
			continue
		}
		require.Equal(t, digest(pixels[:(height-2)*width*3]), digest(got), name)
		pushes = 0
		_, err = r.Rows(nil, func([]byte, int) (bool, error) { pushes++; return true, nil })
		require.NoError(t, err, "damage below what was wanted does not matter")
		require.Equal(t, 1, pushes)
	}
}

// A header that declares 60000x60000 pixels costs nothing.
func TestHugeHeadersCostNothing(t *testing.T) {
	bmp := func(depth, compression uint16) []byte {
		h := make([]byte, 54, 64+1024)
		copy(h, "BM")
		h[10], h[14], h[26], h[28], h[30] = 54, 40, 1, byte(depth), byte(compression)
		binary.LittleEndian.PutUint32(h[18:], 60000)
		binary.LittleEndian.PutUint32(h[22:], 60000)
		return append(append(h, make([]byte, 1024)...), 5, 1, 0, 0)
	}
	tga := func(kind, depth byte) []byte {
		return append([]byte{2: kind, 12: 0x60, 13: 0xea, 14: 0x60, 15: 0xea, 16: depth, 17: 0}, 0x80, 1, 2, 3, 4)
	}
	for name, data := range map[string][]byte{
		"8.bmp": bmp(8, 0), "24.bmp": bmp(24, 0), "rle8.bmp": bmp(8, 1), "rle4.bmp": bmp(4, 2),
		"24.tga": tga(2, 24), "rle.tga": tga(10, 24), "gray rle.tga": tga(11, 8),
		"p1.pbm": []byte("P1 60000 60000 0 1"), "p2.pgm": []byte("P2 60000 60000 9 0 1"),
		"p6.ppm":   []byte("P6 60000 60000 255 abc"),
		"wide.ppm": []byte("P6 2147483647 2147483647 255 abc"), "wide.pbm": []byte("P1 2147483647 2147483647 1"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := openRaster(formatOf(name), data)
		if err == nil {
			_, err = r.Rows(nil, func([]byte, int) (bool, error) { return false, errors.New("there are no rows") })
		}
		runtime.ReadMemStats(&after)
		require.ErrorIs(t, err, spool.ErrTruncated, name)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<10), name)
	}
}

// fuzzRaster fuzzes a format: any bytes are decoded, or refused with a class, and a decode that stops early gives the
// same rows.
func fuzzRaster(f *testing.F, form format.Format) {
	f.Helper()
	files := slices.DeleteFunc(allGoLanes(f), func(data []byte) bool { return format.Of(data) != form })
	require.NotEmpty(f, files)
	mutate.Fuzz(f, files, func(t testing.TB, data []byte, _ uint64) {
		r, err := openRaster(form, data)
		if err != nil {
			if spool.ClassOf(err) == "" || errors.Is(err, spool.ErrTruncated) != truncated(form, data) {
				t.Fatal(err)
			}
			return
		}
		if r.Width < 1 || r.Height < 1 || r.Channels != 1 && r.Channels != 3 && r.Channels != 4 {
			t.Fatalf("%+v", r)
		}
		cut := truncated(form, data)
		if r.Width > 2e4/r.Height {
			return
		}
		fuzzed.Accept()
		pixels, err := collect(t, r)
		if err != nil && spool.ClassOf(err) == "" || !errors.Is(err, spool.ErrCorrupt) && cut != (err != nil) {
			t.Fatal(err)
		}
		_, err = r.Rows(nil, func(rows []byte, _ int) (bool, error) {
			if !bytes.Equal(rows, pixels[:len(rows)]) {
				t.Fatal("other rows the second time")
			}
			return true, nil
		})
		if err != nil && len(pixels) > 0 {
			t.Fatalf("the first strip is enough: %v", err)
		}
	})
}

// allGoLanes are the files of testdata/golanes, in the order of their names.
func allGoLanes(f *testing.F) (all [][]byte) {
	f.Helper()
	for _, name := range slices.Sorted(maps.Keys(goLaneFiles(f))) {
		all = append(all, readGoLane(f, name))
	}
	return all
}

func BenchmarkRows(b *testing.B) {
	_, width, height, files := big()
	tga := append([]byte{2: raster.TGAColor | raster.TGARuns, 12: byte(width), 13: byte(width >> 8), 14: byte(height),
		15: byte(height >> 8), 16: 24, 17: 0},
		bytes.Repeat([]byte{0x83, 1, 2, 3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, width*height/8+1)...)
	files["runs.tga"] = tga
	for name, data := range files {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(width * height * 3))
			for b.Loop() {
				r, err := openRaster(formatOf(name), data)
				require.NoError(b, err)
				_, err = r.Rows(nil, func([]byte, int) (bool, error) { return false, nil })
				require.NoError(b, err)
			}
		})
	}
}
