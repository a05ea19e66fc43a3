// Package decode turns the bytes of a media file into pixels and audio samples.
//
// # Images
//
// [Probe] reports what a file holds without decoding it. A [Decoder] decodes images: [Decoder.Image] into a buffer from
// a pool, [Decoder.ImageInto] into the caller's memory, typically the slot of a batch. An [ImageSpec] requests
// geometry, color, type and layout. Decoding, resizing and conversion are one pass: rows go from the decoder through
// the resize into the destination, with the orientation applied. No full-size image is stored in between.
//
// The format is detected from the content, never from the name. JPEG is decoded by an engine of this module. JPEG files
// that this engine declines are decoded by libjpeg-turbo, to the same bytes (see [JPEGEngine]). PNG is decoded by
// libdeflate, and unusual PNG files by libpng. WebP is decoded by libwebp, AVIF by libavif, JPEG 2000 by libopenjp2,
// and GIF, BMP, PNM and TGA by code of this module. libvips decodes everything else. Some loaders are disabled by
// default: see [Loaders].
//
// # Frames
//
// ImageSpec.Frame selects one frame of an animation, or one page. [Decoder.Frames] decodes several into one buffer. A
// frame of an animation is what a viewer shows: it is composed from the frames before it.
//
// # Pixels
//
// The result is the same, byte for byte, as torchvision's decode_image(mode=RGB, apply_exif_orientation=True) followed
// by v2.Resize(antialias=True) on uint8. For formats that torchvision does not read, it is the same as Pillow's
// convert("RGB"). See docs/adr/ for how and why. For GIF, the first frame matches torchvision, and later frames match
// Pillow. docs/parity.md lists the differences from both, each with its reason.
//
// If resize.Spec.Profile is Pillow, decoding and resizing give the bytes of Pillow, even if torchvision decodes
// differently: the orientation of WebP is applied, and transparent pixels of a GIF's first frame have Pillow's colors.
// If it is Fast, a lane may decode at a lower resolution, and the planes of a JPEG are resized before color conversion
// (docs/jpeg.md).
//
// # Videos
//
// [Decoder.OpenVideo] opens a video: a file, bytes, an object that is read in parts, or a stream. A [Video] gives
// frames by their numbers in any order ([Video.Frames], [Video.FramesInto]), all frames in chunks ([Video.Chunks]), and
// the frames of several requests in one plan ([Gather]). Package decode/index maps a time, a window or a sampling rule
// to frame numbers. The index is made when a video is opened, by reading its packets; [Video.SaveIndex] saves it.
//
// Frame n is the same frame for every access pattern. At the stored size it has the pixels of "ffmpeg -noautorotate
// -pix_fmt rgb24" of the FFmpeg in use, byte for byte, whatever its pixel format, size, range and matrix. torchcodec
// gives the same pixels; [VideoSpec].Chroma selects decord's instead. Frames are resized as images are. Profile Fast
// resizes planes before color conversion: on videos it differs from exact by a mean of at most 1.0, with at least 38
// dB. The mean is at most 1.2 if more than a fiftieth of the samples are outside RGB: exact clips these before it
// averages pixels, and fast clips them after. A [VideoSpec] describes a clip: geometry drawn once for all of its
// frames, and any type and layout that images have. Damaged frames are marked, see [Damage].
//
// # Audio
//
// [Decoder.OpenAudio] opens the audio of a file, which may hold video as well. [Audio.Read] gives all of it or a
// window. [Audio.Into] writes into the caller's memory, typically the slot of a batch. [Audio.Chunks] reads it in
// bounded memory. An [AudioSpec] requests sample rate, channels, type, layout, window and length. WAV files are read by
// package decode/wav, FLAC files by an engine of this module where it can (see [FLACEngine]), and other files by
// FFmpeg. Channels are mixed by libswresample's weights. Sample rates are changed by a filter of this module.
//
// A window equals the same range of the whole audio, to the last bit. Samples that an encoder added at either end are
// left out. See docs/audio.md for the cost of a window by codec.
//
// # Remote objects
//
// Video and audio of a remote object are read in parts: the container's header and tables, and the packets that a
// request needs, with several range requests in flight. [Video.Fetched] reports what was read. See docs/remote-media.md
// for the amount by container.
//
// # Packets and filters
//
// [Packets] are the packets of a window in their compressed form ([Video.Packets], [Decoder.SoundPackets]). They can be
// cloned, changed by bitstream filters, and decoded later ([Decoder.OpenPackets]). They can also be passed to another
// process as bytes, which it reads in place ([ViewPackets]). A [Graph] is any of FFmpeg's filter graphs, over frames
// and audio of several inputs.
//
// # Devices
//
// [Decoder.NvJPEG] opens nvJPEG on a CUDA device. A batch of JPEG images is laid out in one block of device memory
// ([NvJPEG.Plan]) and decoded into it on a stream ([DeviceBatch.Decode]). Images that nvJPEG does not take are decoded
// by the host, with the reason reported. Its pixels are not exactly those of the host, so it is only used on request.
// [Video.DeviceFrames] leaves the frames of a video where NVDEC put them, for a [VideoDevice]. Videos that NVDEC does
// not decode are decoded by the CPU, with the reason reported.
//
// # Damage
//
// A file that is truncated or contradicts itself is an error, unless ImageSpec.Accept allows a partial image. Then the
// rest has the color ImageSpec.Fill, and the report gives the fraction that was read. Content that a library only warns
// about is decoded, counted and reported.
//
// # Ownership, concurrency, cancellation
//
// Data and destination are lent for the duration of the call. A Decoder is safe for use by any number of goroutines.
// The number of concurrent calls into C is bounded for the process; a call waits for admission until its context ends.
// After its context ended, a call returns an error for which errors.Is(err, context.Canceled) or
// context.DeadlineExceeded holds. At most a fifth of the work continues until then, except for JPEG 2000 and HEIC of one
// tile. For most formats it is a few rows:
//
//   - JPEG, BMP, PNM, TGA, TIFF in strips or tiles, and processing of rows: 16 rows, or a row of MCUs or tiles.
//   - PNG: 64 KiB of inflated data, or 16 rows.
//   - GIF: 8192 pixels.
//   - WebP, animations included: a sixteenth of a lossy image's data or 2 KiB, an eighth of a lossless image's data or
//     24 KiB, whichever is more.
//   - JPEG XL: the groups in 4 KiB of the file.
//   - AVIF: dav1d decodes the rest of the image from zeros, which takes 3 to 20 % of its time.
//   - JPEG 2000: a tile, or a sixth of a tile of more than a million pixels. A smaller image of one tile is decoded to
//     its end.
//   - HEIC: a tile. A file that consists of one tile is decoded to its end, as the largest part of the work.
//
// # Untrusted input
//
// Limits are on by default (see [Limits]) and are checked before memory is allocated. Bad input gives an error with a
// class (spool.ErrTruncated, spool.ErrCorrupt, ...), never a panic, and does not affect other calls.
package decode
