package resize_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/resize"
)

// golden is testdata/resize/golden.json, which its README.md describes.
type golden struct {
	Torchvision, Pillow       []goldenCase
	Fit, Cover, Shorter, Crop [][]float64
	Versions                  map[string]string
}

type goldenCase struct {
	Content  string
	Seed     uint64
	In       [2]int
	Channels int
	Filter   resize.Filter
	Mode     resize.Mode
	Size     [2]int
	Shorter  int
	Crop     [2]int
	Pad      [3]uint8
	Out      [2]int
	SHA256   string
	Offset   int
}

func (c goldenCase) spec() resize.Spec {
	return resize.Spec{
		Width: c.Size[0], Height: c.Size[1], Mode: c.Mode, Shorter: c.Shorter,
		CropWidth: c.Crop[0], CropHeight: c.Crop[1], Filter: c.Filter, PadColor: c.Pad,
	}
}

func (c goldenCase) String() string {
	return fmt.Sprintf("%s %d, %v of %d channels, %+v", c.Content, c.Seed, c.In, c.Channels, c.spec())
}

func (c goldenCase) render(t *testing.T, tables *resize.Tables) picture {
	plan, err := c.spec().Plan(c.In[0], c.In[1], tables)
	require.NoError(t, err, c)
	return render(plan, content(c.Content, c.Seed, c.In[0], c.In[1], c.Channels), c.Pad)
}

func readGolden(t *testing.T) golden {
	text, err := os.ReadFile(filepath.Join("..", "testdata", "resize", "golden.json"))
	require.NoError(t, err)
	var g golden
	require.NoError(t, json.Unmarshal(text, &g))
	return g
}

// content is one of the pictures of testdata/resize/README.md.
func content(kind string, seed uint64, width, height, channels int) picture {
	p := newPicture(width, height, channels)
	splitmix64(seed, p.pixels)
	switch kind {
	case "mask":
		for i, v := range p.pixels {
			p.pixels[i] = -(v >> 7)
		}
	case "smooth":
		for y := range height {
			for x := range width {
				across := x * 255 / max(width-1, 1)
				ramps := [4]int{across, y * 255 / max(height-1, 1), (x + y) * 255 / max(width+height-2, 1), 255 - across}
				for c, v := range p.at(x, y) {
					p.at(x, y)[c] = uint8(min(max(ramps[c]+int(v&31)-16, 0), 255))
				}
			}
		}
	}
	return p
}

// splitmix64 is Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
func splitmix64(seed uint64, dst []byte) {
	var word [8]byte
	for i := 0; i < len(dst); i += 8 {
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		binary.LittleEndian.PutUint64(word[:], z^z>>31)
		copy(dst[i:], word[:])
	}
}

// The model over our plans gives torchvision's bytes: sizes up and down, crops and padding included.
func TestTorchvisionBytes(t *testing.T) {
	cases := readGolden(t).Torchvision
	require.Greater(t, len(cases), 600)
	const shards = 16
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			var tables resize.Tables
			for i := shard; i < len(cases); i += shards {
				c := cases[i]
				out := c.render(t, &tables)
				got := [2]int{out.width, out.height}
				require.Equal(t, c.Out, got, c)
				digest := sha256.Sum256(out.pixels)
				assert.Equal(t, c.SHA256, hex.EncodeToString(digest[:]), c)
			}
		})
	}
}

// All other filters, and Fit and Cover, are within 1 of Pillow.
func TestPillowWithinOne(t *testing.T) {
	cases := readGolden(t).Pillow
	require.Greater(t, len(cases), 200)
	pixels, err := os.ReadFile(filepath.Join("..", "testdata", "resize", "pillow.bin"))
	require.NoError(t, err)
	for _, c := range cases {
		out := c.render(t, nil)
		want := pixels[c.Offset:][:c.Size[0]*c.Size[1]*c.Channels]
		require.Len(t, out.pixels, len(want), c)
		largest := 0
		for i, v := range want {
			largest = max(largest, int(v)-int(out.pixels[i]), int(out.pixels[i])-int(v))
		}
		limit := 1
		if c.Filter == resize.Nearest {
			limit = 0
		}
		assert.LessOrEqual(t, largest, limit, c)
	}
}
