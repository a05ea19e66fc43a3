// Package gif decodes GIF images and animations. Go reads the blocks of the file. C decodes the pixels, one call per
// frame, and pushes rows to a row sink of cbridge/kernel.
//
// # Pixels
//
// Rows are uint8, RGB or RGBA, and cover the canvas: the logical screen, enlarged to contain the first frame. They
// equal Pillow's bytes: convert("RGB"), where transparent pixels have the color of their index, or convert("RGBA"). If
// the first frame fills the canvas, its RGB equals torchvision's as well. If it does not, torchvision returns the frame
// without the canvas. torchvision rejects files whose frames differ in size.
//
// Where the specification is open, the package does as Pillow 13:
//
//   - An index beyond the color table is black. A file without a color table is gray.
//   - A frame without a disposal method has that of the previous frame.
//   - If the first frame is opaque, all frames are opaque.
//   - Disposal to the background makes a frame's area transparent if the frame has transparency. Otherwise the area
//     gets the background color.
//   - Bytes between blocks are skipped.
//
// There is one difference: frames are clipped to the canvas, while Pillow enlarges the canvas.
//
// # Damage
//
// A frame is truncated if its data or codes end before its pixels. It is corrupt if it has an invalid code. In both
// cases the sink has the rows above the damage, and the report has the fraction of pixels that was read. Only requested
// pixels are checked, not later frames or lower rows.
//
// # Memory
//
// Decode allocates one byte for each pixel of the frame, bounded by the number of pixels that the data can hold. An
// [Animation] has a canvas of four bytes per pixel. If a frame's disposal restores the previous content, it also saves
// four bytes for each pixel of that frame. ReadHeader allocates nothing, whatever sizes the file has.
//
// All functions are safe for concurrent use. An Animation may be used by one goroutine at a time. This package is
// internal to the module: no compatibility promise.
package gif
