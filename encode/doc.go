// Package encode makes files from pixels and audio samples: images (JPEG, PNG, WebP, AVIF), and video and audio in any
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
// Pixels and samples are lent for the duration of the call. A file appears complete or not at all: it is written under
// a temporary name in the same folder, and renamed when it is complete. New writes the complete file to an io.Writer.
// NewStream writes to an io.Writer during encoding, without seeking back.
//
// Remux writes the packets of a file, or of a window of it, to another container without encoding them. Mux does the
// same with packets in memory, which bitstream filters may have changed.
package encode
