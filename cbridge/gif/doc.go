// Package gif decodes GIF pictures and animations: the blocks of the file are walked in Go, their pixels
// are one C call a frame, into a row sink of cbridge/kernel.
//
// # Pixels
//
// Rows are uint8, RGB or RGBA, those of the canvas: the logical screen, or as much more as the first
// frame needs. They are the same bytes as Pillow's: convert("RGB"), where transparent pixels have the
// colour of their index, or convert("RGBA"). The first frame alone, where it fills the canvas, is what
// torchvision gives as well. (Where it does not, torchvision gives the frame without its canvas; it
// refuses files whose frames differ in size.)
//
// What the specification leaves open is decided as in Pillow 13: an index without a colour is black, a
// file without a colour table gray; a disposal method that is not given is that of the frame before;
// frames after an opaque first one are opaque; an area is disposed of to transparency where its frame
// has any, else to the background colour; bytes between blocks are skipped. One thing is not: frames
// beyond the canvas are clipped, where Pillow lets the canvas grow.
//
// # Damage
//
// Data or codes that end before the pixels do are truncated, codes that cannot be are corrupt. The rows
// above the damage are in the sink all the same, and the report says which part of the frame was read.
// Only what is asked for is judged: not the frames behind it, nor the rows below.
//
// # Memory
//
// Decode takes a byte for each pixel of the frame, never more than the data could fill. An [Animation]
// has a canvas of four bytes a pixel, and the like of what a frame is to be disposed of by. A header costs no
// memory at all, whatever it promises.
//
// All functions are safe for concurrent use, an Animation is one goroutine's at a time.
// Packages of this module only: no compatibility promise.
package gif
