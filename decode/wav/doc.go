// Package wav reads WAV files: RIFF, RF64 and BW64 with samples that are not compressed, or by G.711.
//
//	h, err := wav.ReadHeader(bytes.NewReader(file))
//	...
//	n := h.Within(int64(len(file)))                      // samples a channel that are there
//	samples := file[h.Offset:][:n*int64(h.Stride())]
//	wav.Channel(h, left, samples, 0)                     // float32, int16 or int32, as left is
//
// Samples are integers of 8, 16, 24 and 32 bits, floats of 32 and 64 bits, A-law or mu-law, of any number
// of channels; a header may be WAVE_FORMAT_EXTENSIBLE. The sizes that a file gives may be those of a writer that never came back to
// fill them in (0 or 0xFFFFFFFF): then the samples go on to the end of the file. A file that is cut has the samples
// that are there.
//
// The rules are those of FFmpeg's reader, so that both give the same samples of the same file. What this package leaves to
// others, such as ADPCM, is spool.ErrUnsupported.
//
// # Values
//
// A sample of n bits v is v / 2^(n-1) as a float, in [-1, 1); integers of another size keep the high bits or
// gain zeros below; floats become integers by rounding to even, and are clipped. A-law and mu-law are those
// of 16 bits that ITU-T G.711 stands for. These are the conversions of libswresample without dither.
//
// All functions are pure and safe for concurrent use. Their arguments are lent.
package wav
