// Package decode turns the bytes of a media file into pixels.
//
// # Pictures
//
// [Probe] says what a file holds without decoding it. A [Decoder] decodes pictures: [Decoder.Image]
// into a buffer from a pool, [Decoder.ImageInto] into memory of the caller's, typically the slot of a
// batch. An [ImageSpec] says what is wanted: geometry, colour, type and layout. Decoding, resizing
// and conversion are one pass: rows go from the decoder through the resize into the destination, turned
// as their orientation says, and no picture of full size exists.
//
// The format is told by content, never by name. JPEG is decoded by an engine of this module, and by
// libjpeg-turbo, to the same bytes, what that is not sure of (see [JPEGEngine]); PNG by libdeflate and
// where it is odd by libpng, WebP by libwebp, AVIF by libavif, GIF, BMP, PNM and TGA by code of this
// module, everything else by libvips. Some loaders have to be asked for: see [Loaders].
//
// # Frames
//
// ImageSpec.Frame is one frame of an animation, or page; [Decoder.Frames] decodes several into one
// buffer. A frame of an animation is what a viewer shows, composed of those before it.
//
// # Pixels
//
// The result is the same, byte for byte, as torchvision's decode_image(mode=RGB,
// apply_exif_orientation=True) followed by v2.Resize(antialias=True) on uint8; for formats that
// torchvision does not read as Pillow's convert("RGB"). See docs/adr/ for how and why. Of GIF this holds for the first frame;
// later ones are Pillow's. Differences from both are in docs/parity.md, each with its reason.
//
// Where resize.Spec.Profile is Pillow, decoding and resizing give the bytes of Pillow, also where torchvision decodes otherwise:
// the orientation of WebP is applied, and the first frame of GIF has Pillow's colours where it is transparent; where it is Fast, a lane may
// decode at a lower resolution, and the planes of a JPEG are resized before colours are converted (docs/jpeg.md).
//
// # Videos
//
// [Decoder.OpenVideo] opens a video: a file, bytes, an object that is read in parts, or a stream. A [Video] gives frames
// by their numbers, in any order ([Video.Frames], [Video.FramesInto]), all of them in chunks ([Video.Chunks]), and those of
// several requests in one plan ([Gather]). Which frames a time, a window or a sampling rule means is for its index to say:
// package decode/index. The index is made when a video is opened, by reading its packets; [Video.SaveIndex] keeps it.
//
// Frame n is the same frame however it is reached. At its own size it has the pixels of "ffmpeg -noautorotate -pix_fmt
// rgb24" of the FFmpeg in use, byte for byte, whatever its pixel format, size, range and matrix; torchcodec gives the same
// ([VideoSpec].Chroma has decord's instead). Resizing is that of pictures. Profile Fast resizes planes before colours are
// converted: on films within a mean of 1.0 of exact, and 38 dB; 1.2 where more than a fiftieth of the samples lie outside
// RGB, which exact cuts off before it averages pixels, and fast after. A clip is a [VideoSpec]'s: geometry drawn once for
// all of its frames, any type and layout that pictures have. What of it was damaged is marked, see [Damage].
//
// # Sounds
//
// [Decoder.OpenAudio] opens a sound, of a file that may have pictures as well. [Audio.Read] gives all of it or a window, [Audio.Into]
// writes into memory of the caller's, typically the slot of a batch, [Audio.Chunks] goes through it in bounded memory. An
// [AudioSpec] says what is wanted: rate, channels, type, layout, the window and a length. WAV files are read by package
// decode/wav, others by FFmpeg; channels are mixed by libswresample's weights, rates changed by a filter of this module.
//
// A window is the same as that part of the whole, to the last bit, and what an encoder added at both ends is left out. See
// docs/audio.md for what that costs by codec.
//
// # Files far away
//
// Of a remote object video and sound are read in parts: the container's header and tables, and the packets that a request needs,
// side by side. [Video.Fetched] says what that was. See docs/remote-media.md for what it is by container.
//
// # Packets and filters
//
// [Packets] are the packets of a window, kept in their compressed form ([Video.Packets], [Decoder.SoundPackets]): cloned, changed by
// bitstream filters, brought to another process as bytes that it may read where they lie ([ViewPackets]), and decoded later
// ([Decoder.OpenPackets]). A [Graph] is any of FFmpeg's filter graphs, over frames and sound of several inputs.
//
// # Devices
//
// [Decoder.NvJPEG] opens nvJPEG on a CUDA device: batches of JPEG pictures are laid out in one piece of its memory ([NvJPEG.Plan])
// and decoded into it in a stream ([DeviceBatch.Decode]); what nvJPEG does not take the host decodes, and a reason says
// why. Its pixels are not exactly those of the host: whoever wants them asks for them. [Video.DeviceFrames] leaves the frames of
// a video where NVDEC put them, for a [VideoDevice]; what that does not decode comes from the processors, with the reason.
//
// # Damage
//
// A file that is cut or contradicts itself is an error, unless ImageSpec.Accept takes what could be read:
// then the rest has the colour ImageSpec.Fill, and the report says which fraction came. What a library
// only warns of is decoded, counted and reported.
//
// # Ownership, concurrency, cancellation
//
// Data and destination are lent for the duration of the call. A Decoder may be used from any number
// of goroutines; calls into C are bounded for the process and wait for their turn with the context.
// After the end of its context a call returns an error for which errors.Is(err, context.Canceled) or
// context.DeadlineExceeded holds. At most a fifth of the work goes on until then, for most formats some rows:
//
//   - JPEG, BMP, PNM, TGA, TIFF in strips or tiles, and what is done with rows: 16 rows, or a row of MCUs or tiles.
//   - PNG: 64 KiB of inflated data, or 16 rows.
//   - GIF: 8192 pixels.
//   - WebP, animations included: a sixteenth of a lossy picture's data, an eighth of a lossless one's, or 2 and 24 KiB.
//   - JPEG XL: the groups of 4 KiB of the file.
//   - AVIF: dav1d comes to the picture's end with zeros for its input, 3 to 20 % of its time.
//   - HEIC: a tile. A file that has one tile is decoded to its end, as the largest part of the work.
//
// # Untrusted input
//
// Limits are on by default (see [Limits]) and are checked before memory is taken. Bad input gives an
// error with a class (spool.ErrTruncated, spool.ErrCorrupt, ...), never a panic, and nothing else is lost.
package decode
