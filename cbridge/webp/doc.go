// Package webp decodes WebP images with libwebp. It makes one C call for a header, and one for an image. It pushes
// decoded rows to a row sink of cbridge/kernel.
//
// # Pixels
//
// Pixels are interleaved uint8, RGB or RGBA with straight alpha, in rows from the top as they are stored. The caller
// applies EXIF orientation and color profile, which the header locates. Pixels are the bytes of WebPDecodeRGB and
// WebPDecodeRGBA, which torchvision calls and which give Pillow's pixels. A lossy image can be pushed to a planes sink
// (cbridge/kernel) instead of a row sink: the library then skips its own upsampling and color conversion. Images
// without alpha are opaque.
//
// The frames of an animation are whole RGBA canvases, composed as in WebPAnimDecoder, which Pillow uses. The background
// is transparent, whatever the file declares.
//
// # Damage
//
// An image is truncated if it continues beyond the data: the file is shorter than it declares, even if all rows were
// decoded. An image is corrupt if it contradicts itself, or ends before its declared size. Options.Accept accepts the
// decoded part instead, except for animations. Only the decoded part of an image is checked: if only rows above some
// line are wanted, damage below it is not detected.
//
// # Memory
//
// Nothing is kept between calls, except in an Animation until Close. libwebp decodes into memory for the wanted rows
// (its interface cannot deliver rows one by one), in addition to its own memory: Header.Memory counts both.
// Options.MaxMemory refuses images that need more, before anything is allocated.
//
// All functions are safe for concurrent use; each occupies a thread while it runs. An Animation belongs to one
// goroutine at a time. The package is for this module only and makes no compatibility promise.
package webp
