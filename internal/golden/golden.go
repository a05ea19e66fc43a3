package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Case is an image, its operations and the expected result.
type Case struct {
	Content  string
	Seed     uint64
	In       [2]int // width and height, like all sizes
	Channels int
	Profile  string
	Filter   string
	Mode     string // empty means stretch
	Box      [4]int // left, top, right, bottom of the crop; zero is the whole image
	Size     [2]int
	Shorter  int
	Crop     [2]int
	Pad      [3]uint8
	Out      [2]int
	SHA256   string // of the interleaved bytes of the result, or a prefix of it
}

// String describes the case in failure messages.
func (c Case) String() string {
	return fmt.Sprintf("%s %d of %dx%d, %d channels, box %v to %v, shorter %d, crop %v, %s %s %s",
		c.Content, c.Seed, c.In[0], c.In[1], c.Channels, c.Box, c.Size, c.Shorter, c.Crop, c.Profile, c.Mode, c.Filter)
}

// Is reports whether these pixels are the case's expected result.
func (c Case) Is(pixels []byte) bool {
	digest := sha256.Sum256(pixels)
	return c.SHA256 != "" && strings.HasPrefix(hex.EncodeToString(digest[:]), c.SHA256)
}

// Golden is the content of golden.json.
type Golden struct {
	Torchvision, Pillow       []Case
	Fit, Cover, Shorter, Crop [][]float64
}

// Read reads golden.json. root is the path of the repository's root.
func Read(root string) (Golden, error) {
	var g Golden
	err := read(&g, root, "golden.json")
	for i := range g.Torchvision {
		g.Torchvision[i].Profile = "exact"
	}
	for i := range g.Pillow {
		g.Pillow[i].Profile = "pillow"
	}
	return g, err
}

func read(into any, root, name string) error {
	text, err := os.ReadFile(filepath.Join(root, "testdata", "resize", name))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
