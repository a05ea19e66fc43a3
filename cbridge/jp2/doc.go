// Package jp2 decodes JPEG 2000, boxed (JP2) or bare (J2K), with libopenjp2: one C call a picture, whose rows go to a row
// sink of cbridge/kernel.
//
//	h, err := jp2.ReadHeader(data)
//	...
//	c, err := call.Enter(ctx, 1)
//	...
//	defer c.Leave()
//	report, err := jp2.Decode(c, data, h, jp2.Options{Sink: sink.Pointer(), Channels: 3})
//
// The boxes, the codestream's main header and the headers of tile-parts are read in Go. libopenjp2 gets the codestream
// only, after Go has bounded the memory and the packets that it asks for.
//
// # Pixels
//
// Rows are uint8 or uint16 samples: gray, RGB, RGBA or, on request, the inks of CMYK. They are the bytes of Pillow's
// convert("RGB") or convert("RGBA"): Pillow's choice of the colour space, its scaling of samples that do not have 8 bits,
// its YCbCr. Subsampled components are repeated. Palettes are applied. Pillow ignores the boxes cmap and cdef, and so does
// this package. Differences:
//
//   - Of colour samples with more than 8 bits Pillow rounds, and the upper half step wraps to 0. Here it is 255.
//   - Entries of a palette that repeat others keep their index; Pillow drops them. Indices of less than 8 bits are
//     indices; Pillow scales them. Indices beyond the palette are black.
//   - Subsampled components of odd width or height keep their rows; Pillow takes each row a sample too early.
//   - A picture that lacks a tile is corrupt; Pillow makes the tile black.
//
// Single components of more than 8 bits (Pillow's I;16) give their upper 8 bits, or 16 bits shifted to the top.
//
// # Damage
//
// A damaged or cut tile is refused, as Pillow refuses it. Rows of tiles above it are in the sink.
//
// # Memory and cancellation
//
// Header.Memory bounds what Decode takes. A tile of up to a million pixels is decoded in one piece. A larger one is decoded
// in six bands, which costs 20 to 60 % more time than one piece but no picture of full size. The context is consulted
// between pieces.
//
// All functions are safe for concurrent use. Packages of this module only: no compatibility promise.
package jp2
