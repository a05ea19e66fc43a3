package encode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Format is the format of an image file.
type Format uint8

const (
	ByName Format = iota // by the extension of the file's name
	JPEG
	PNG
	WebP
	AVIF
)

var formats = [...]struct {
	name    string
	endings []string
}{ByName: {"by name", nil}, JPEG: {"JPEG", []string{".jpg", ".jpeg"}}, PNG: {"PNG", []string{".png"}},
	WebP: {"WebP", []string{".webp"}}, AVIF: {"AVIF", []string{".avif"}}}

// String is the name of the format.
func (f Format) String() string {
	if int(f) < len(formats) {
		return formats[f].name
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// ImageOptions are the options for encoding an image. Options that do not apply to the format must be 0.
type ImageOptions struct {
	Format Format

	// Quality is 1 to 100; 0: 75. For JPEG and lossy WebP it is the quality scale of libjpeg and libwebp, and for AVIF
	// that of libavif. For lossless WebP it is the effort to make the file small.
	Quality  int
	Chroma   Chroma // for JPEG
	Lossless bool   // for WebP
	// Effort is the effort to make the file small. PNG: libdeflate's level, 1 to 12; 0: 4. WebP: 1 to 6; 0: 4. AVIF: 1 to
	// 6; 0: 2. JPEG: 1 optimizes the Huffman tables for the image; 2 is also progressive.
	Effort int
}

// defaultQuality is that of Quality 0.
const defaultQuality = 75

// Chroma is the chroma subsampling of a JPEG.
type Chroma uint8

const (
	Chroma420 Chroma = iota // half the rows and half the columns
	Chroma422               // all rows, half the columns
	Chroma444               // full resolution
)

// Validate reports every invalid option, each as a *spool.OptionError.
func (o ImageOptions) Validate() error {
	var bad invalid.Options
	if o.Format > AVIF {
		bad.Value("Format", uint8(o.Format), "no such format")
	}
	if o.Quality < 0 || o.Quality > 100 {
		bad.Value("Quality", o.Quality, "must be from 1 to 100")
	}
	if o.Quality != 0 && o.Format == PNG {
		bad.Excludes(invalid.Named("Quality"), invalid.With("Format", o.Format), "PNG loses nothing")
	}
	if o.Chroma > Chroma444 {
		bad.Value("Chroma", uint8(o.Chroma), "no such subsampling")
	}
	if o.Chroma != Chroma420 && o.Format != JPEG && o.Format != ByName {
		bad.Needs(invalid.Named("Chroma"), invalid.With("Format", JPEG), "the other formats have no choice")
	}
	if o.Lossless && (o.Format == JPEG || o.Format == AVIF) {
		bad.Excludes(invalid.Named("Lossless"), invalid.With("Format", o.Format), "it is never lossless here")
	}
	most := map[Format]int{ByName: png.MaxLevel, JPEG: 2, PNG: png.MaxLevel, WebP: 6, AVIF: 6}[o.Format]
	if o.Effort < 0 || o.Effort > most {
		bad.Value("Effort", o.Effort, "must be from 1 to %d", most)
	}
	return bad.Err()
}

// Image encodes an image: uint8, and for PNG also uint16, [h w c] with 1 (gray), 3 (RGB) or 4 channels (RGBA), or [h
// w], rows without gaps. JPEG drops alpha; WebP and AVIF store gray as RGB. AVIF has 8 bits and half
// the chroma rows and columns, or all of them if a side is odd. Desc describes the pixels, as Buffer.Desc returns
// it.
//
//	Ownership:    pixels are lent; the caller owns the file.
//	Cancellation: within some rows; PNG is deflated in one step.
//	Errors:       ErrOptions, with all problems at once; ErrShape for pixels of another shape or type; ErrTooLarge for
//	              images that the format cannot hold; ErrUnsupported without an encoder of AVIF, or if it has no odd
//	              sizes; ErrCanceled and ErrTimeout.
//	Concurrency:  safe; uses one OS thread for the duration of the call.
//	Cost:         a pixel of a photo takes some 10 ns as JPEG, 80 ns as PNG (libpng 460 ns, image/png 470 ns), and 400 ns
//	              as WebP.
func Image(ctx context.Context, pixels []byte, d spool.Desc, o ImageOptions) ([]byte, error) {
	var bad invalid.Options
	bad.Add(o.Validate())
	if o.Format == ByName {
		bad.Value("Format", o.Format, "must be JPEG, PNG, WebP or AVIF")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	height, width, channels, err := imageSize(pixels, d, o.Format)
	if err != nil {
		return nil, err
	}
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return nil, &spool.Error{Op: "encode", Class: spool.ClassOf(err), Err: err}
	}
	defer c.Leave()
	switch o.Format {
	case JPEG:
		return jpeg.Encode(c, pixels, width, height, channels, o.jpeg())
	case PNG:
		return png.Encode(c, pixels, width, height, channels, 8*d.DType.Size(), o.Effort)
	}
	if channels == 1 {
		pixels, channels = grayToRGB(pixels), 3
	}
	if o.Format == AVIF {
		s, err := chooseStill()
		if err != nil {
			return nil, err
		}
		return s.encode(c, pixels, width, height, channels, o)
	}
	return webp.Encode(c, pixels, width, height, channels,
		webp.EncodeOptions{Quality: o.Quality, Lossless: o.Lossless, Method: o.Effort})
}

func (o *ImageOptions) jpeg() jpeg.EncodeOptions {
	j := jpeg.EncodeOptions{Quality: o.Quality, Across: 2, Down: 2, Optimize: o.Effort > 0, Progressive: o.Effort > 1}
	if o.Chroma != Chroma420 {
		j.Down = 1
	}
	if o.Chroma == Chroma444 {
		j.Across = 1
	}
	return j
}

// imageSize checks that d describes an image for a format, and returns its size.
func imageSize(pixels []byte, d spool.Desc, f Format) (height, width, channels int, err error) {
	shape := d.Shape
	if len(shape) == 2 {
		shape = spool.Shape{shape[0], shape[1], 1}
	}
	n, ok := d.Bytes()
	held := d.DType == spool.Uint8 || d.DType == spool.Uint16 && f == PNG
	if !ok || n != len(pixels) || n == 0 || !held || len(shape) != 3 || d.Layout == spool.CHW || shape[2] != 1 &&
		shape[2] != 3 && shape[2] != 4 {
		return 0, 0, 0, fmt.Errorf("%w: %d bytes of %v are not an image for %v: uint8 (or uint16 for PNG), [h w c] with 1, "+
			"3 or 4 channels",
			spool.ErrShape, len(pixels), d, f)
	}
	return shape[0], shape[1], shape[2], nil
}

// grayToRGB converts gray to RGB.
func grayToRGB(gray []byte) []byte {
	rgb := make([]byte, 0, 3*len(gray))
	for _, v := range gray {
		rgb = append(rgb, v, v, v)
	}
	return rgb
}

// ImageFile writes an image to a file. The format is o.Format, or that of the name's extension (.jpg, .jpeg, .png,
// .webp, .avif). The file appears complete or not at all.
//
//	Errors: those of Image; ErrUnsupported for another extension; ErrNotFound, ErrPermission, ErrNotAFile, ErrIO.
func ImageFile(ctx context.Context, path string, pixels []byte, d spool.Desc, o ImageOptions) error {
	if o.Format == ByName {
		if o.Format = formatOf(path); o.Format == ByName {
			return &spool.Error{Op: "encode", File: path, Class: spool.ErrUnsupported,
				Text: "the name of an image file must end with .jpg, .jpeg, .png, .webp or .avif"}
		}
	}
	data, err := Image(ctx, pixels, d, o)
	if err != nil {
		return spool.InFile(err, path)
	}
	file, err := begin(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file.temporary, data, 0o644); err != nil {
		return spool.InFile(errors.Join(err, file.discard()), path)
	}
	if err := file.finish(nil); err != nil {
		return errors.Join(err, file.discard())
	}
	return nil
}

// formatOf is the format of a name's extension, ByName if it has none of them.
func formatOf(path string) Format {
	ending := strings.ToLower(filepath.Ext(path))
	for f, format := range formats {
		if slices.Contains(format.endings, ending) {
			return Format(f)
		}
	}
	return ByName
}
