// Package encode makes files of pixels and samples: pictures (JPEG, PNG, WebP), and video and sound in any
// codec and container that the installed FFmpeg writes.
//
//	data, err := encode.Image(ctx, pixels, desc, encode.ImageOptions{Format: encode.JPEG})
//
//	w, err := encode.Create(ctx, "clip.mp4", encode.Options{Video: &encode.Video{Width: 224, Height: 224, Rate: 25}})
//	...
//	defer w.Close()
//	err = w.Frames(ctx, clip.Bytes(), clip.Desc()) // as often as needed
//	err = w.Finish(ctx)
//
// What is encoded is lent for the time of the call. A file is there as a whole or not at all: it is written under
// another name beside its own, which it gets when it is complete. New writes to an io.Writer what would be the file, and
// NewStream what can be written without going back, as it comes.
//
// Remux writes the packets of a file to another container, or a part of them, and encodes nothing.
package encode
