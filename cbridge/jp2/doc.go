// Package jp2 decodes JPEG 2000 files, boxed (JP2) or bare (J2K), with libopenjp2. It makes one C call for each image
// and pushes the rows to a row sink of cbridge/kernel.
//
//	h, err := jp2.ReadHeader(data)
//	...
//	c, err := call.Enter(ctx, 1)
//	...
//	defer c.Leave()
//	report, err := jp2.Decode(c, h, jp2.Options{Sink: sink.Pointer(), Channels: 3})
//
// Go code reads the boxes, the codestream's main header and the headers of tile-parts, and bounds the memory and the
// packets of the image. libopenjp2 then gets the codestream only.
//
// # Pixels
//
// Rows are uint8 or uint16 samples: gray, RGB, RGBA or, on request, CMYK inks. They are the bytes of Pillow's
// convert("RGB") or convert("RGBA"): its choice of the color space, its YCbCr conversion, and its scaling of samples
// that do not have 8 bits. Subsampled components are repeated. Palettes are applied. The boxes cmap and cdef are
// ignored, as in Pillow. Differences from Pillow:
//
//   - Pillow rounds color samples of more than 8 bits, and the upper half step wraps to 0. Here it is 255.
//   - Palette entries that repeat others keep their index; Pillow drops them. Indices of less than 8 bits are indices;
//     Pillow scales them. Indices beyond the palette are black.
//   - Subsampled components of odd width or height keep their rows; Pillow takes each row one sample too early.
//   - An image that lacks a tile is corrupt; Pillow makes the tile black.
//
// Single components of more than 8 bits (Pillow's I;16) give their upper 8 bits, or 16 bits shifted to the top.
//
// # Damage
//
// A damaged or truncated tile is refused, as in Pillow. The rows of tiles above it have been pushed to the sink.
//
// # Memory and cancellation
//
// Header.Memory bounds what Decode allocates. The context is checked between steps, each of which is some eighth of the
// work. A single tile of up to 2^16 pixels is one step, which takes some milliseconds. A larger one is decoded in
// bands, and its first band in up to three steps. Steps take more time than one piece, but need no image of full size:
// docs/jpeg2000.md has figures. Several tiles of up to 2^20 pixels are a step each. Larger ones are decoded in bands.
//
// All functions are safe for concurrent use. The package is for this module only and makes no compatibility promise.
package jp2
