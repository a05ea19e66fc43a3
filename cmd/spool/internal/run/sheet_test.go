package run

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/short"
)

// readPNG reads a contact sheet.
func readPNG(t testing.TB, name string) image.Image {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	img, err := png.Decode(file)
	require.NoError(t, err)
	return img
}

// background is the color of a sheet's empty places.
var background = color.RGBA{24, 24, 24, 255}

// A sheet has the images of the first batch in a grid, whatever their size and number. The letters below them stay in
// their cells.
func TestSheet(t *testing.T) {
	for _, c := range []struct {
		size          string
		batch         string
		width, height int // of the sheet
		cell          image.Point
		img           image.Point // as drawn
	}{
		{"224", "9", 3*228 + 4, 3*242 + 4, image.Pt(228, 242), image.Pt(224, 224)},
		{"1", "4", 2*52 + 4, 2*66 + 4, image.Pt(52, 66), image.Pt(48, 48)},
		{"20x30", "1", 56, 52, image.Pt(52, 48), image.Pt(20, 30)},
		{"1000x20", "3", 2*260 + 4, 2*23 + 4, image.Pt(260, 23), image.Pt(256, 5)},
		{"20x1000", "2", 2*52 + 4, 274 + 4, image.Pt(52, 274), image.Pt(5, 256)},
		{"1500x1500", "2", 2*260 + 4, 274 + 4, image.Pt(260, 274), image.Pt(256, 256)},
		{"8", "44", 7*52 + 4, 7*66 + 4, image.Pt(52, 66), image.Pt(48, 48)},
	} {
		t.Run(c.size, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "sheet.png")
			out := tool.Done(t, "run", "images", clitest.Media+"/photos", "--size", c.size, "--batch", c.batch, "--limit",
				c.batch, "--save-first", name)
			assert.NotEmpty(t, out)
			sheet := readPNG(t, name)
			require.Equal(t, image.Rect(0, 0, c.width, c.height), sheet.Bounds())
			size := c.size
			if !strings.Contains(size, "x") {
				size += "x" + size
			}
			first := tool.Decoded(t, "image", clitest.Media+"/photos/animal/00.jpg", "--size", size)
			h, w := first.Shape[0], first.Shape[1]
			for y := 0; y < c.img.Y; y += short.Of(1, 8) {
				for x := range c.img.X {
					at := 3 * (y*h/c.img.Y*w + x*w/c.img.X)
					want := color.RGBA{first.Data[at], first.Data[at+1], first.Data[at+2], 255}
					require.Equal(t, want, sheet.At(4+x, 4+y), "%d,%d", x, y)
				}
			}
			letters := 0
			for y := range c.cell.Y {
				for x := range c.cell.X {
					switch inside := y >= 4 && y < 4+c.img.Y && x >= 4 && x < 4+c.img.X; {
					case inside:
					case sheet.At(x, y) == color.RGBA{255, 255, 255, 255}:
						letters++
						require.GreaterOrEqual(t, y, 4+c.img.Y, "letters are below")
						require.GreaterOrEqual(t, x, 4, "letters are in their cell")
					default:
						require.Equal(t, background, sheet.At(x, y))
					}
				}
			}
			assert.Positive(t, letters, "the id")
		})
	}
}

// Without a first batch there is no sheet, and no file is left.
func TestNoSheet(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sheet.png")
	assert.Equal(t, cli.ExitInput, tool.Run("run", "images", clitest.Empty, "--save-first", name).Code)
	assert.NoFileExists(t, name)
	tool.Done(t, "run", "images", clitest.Photo, "--last", "drop", "--save-first", name)
	assert.NoFileExists(t, name)
}
