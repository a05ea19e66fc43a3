// Package video decodes frames of videos.
//
// [Decoder.Open] opens a video: a file, bytes, an object that is read in parts, or a stream. A [Video] gives frames by
// their numbers in any order ([Video.Frames], [Video.FramesInto]), all frames in chunks ([Video.Chunks]), and the
// frames of several requests in one plan ([Gather]). Package decode/index maps a time, a window or a sampling rule to
// frame numbers. The index is made when a video is opened, by reading its packets; [Video.SaveIndex] saves it.
//
// Frame n is the same frame for every access pattern. At the stored size it has the pixels of "ffmpeg -noautorotate
// -pix_fmt rgb24" of the FFmpeg in use, byte for byte, whatever its pixel format, size, range and matrix. torchcodec
// gives the same pixels; Spec.Chroma selects decord's instead. Frames are resized as images are. Profile Fast resizes
// planes before color conversion: on videos it differs from exact by a mean of at most 1.0, with at least 38 dB. The
// mean is at most 1.2 if more than a fiftieth of the samples are outside RGB: exact clips these before it averages
// pixels, and fast clips them after. A [Spec] describes a clip: geometry drawn once for all of its frames, and any type
// and layout that images have. Damaged frames are marked, see decode.Damage.
//
// A remote object is read in parts: the container's header and tables, and the packets that a request needs, with
// several range requests in flight. [Video.Fetched] reports what was read. See docs/remote-media.md for the amount by
// container.
//
// [Video.Packets] are the packets of a window in their compressed form; [Decoder.OpenPackets] decodes them later.
//
// [Video.DeviceFrames] leaves frames where NVDEC put them, for a [Device]. Videos that NVDEC does not decode are
// decoded by the CPU, with the reason reported.
package video
