package decode

import "github.com/spoolmedia/spool/internal/enum"

// Color is the order and number of the result's channels.
type Color uint8

const (
	RGB  Color = iota // 3 channels; gray is repeated in each
	BGR               // 3 channels
	Gray              // 1 channel: luma of JPEG, else 0.299 R + 0.587 G + 0.114 B in Pillow's integer arithmetic
	RGBA              // 4 channels; an image without alpha is opaque

	// Index is 1 channel. For an image with a palette (PNG, GIF, BMP, TIFF) it holds the indices, equal to
	// np.array(Image.open(file)) for Pillow's mode P. For a gray image of up to 8 bits it holds the samples. It is
	// meant for label masks. Other images are ErrUnsupported, and so are later frames of an animation. Index needs
	// Uint8, and a filter without averaging where the size changes.
	//
	// For gray and YUV video it holds the samples of luma as they are stored, whatever their range: labels, or the codes
	// of depth maps. Samples of more than 8 bits need Uint16. Other videos are ErrUnsupported.
	Index
)

var colorNames = enum.Names{"rgb", "bgr", "gray", "rgba", "index"}

// String is the color's name on the command line.
func (c Color) String() string { return colorNames.Of("Color", uint8(c)) }

// Channels is the number of channels.
func (c Color) Channels() int {
	switch c {
	case Gray, Index:
		return 1
	case RGBA:
		return 4
	}
	return 3
}

// RGB8 is a color of 8 bits a channel.
type RGB8 struct{ R, G, B uint8 }
