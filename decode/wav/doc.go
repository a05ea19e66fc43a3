// Package wav reads WAV files: RIFF, RF64 and BW64 with PCM or G.711 samples.
//
//	h, err := wav.ReadHeader(bytes.NewReader(file))
//	...
//	n := h.Within(int64(len(file)))                      // samples of each channel in the file
//	samples := file[h.Offset:][:n*int64(h.Stride())]
//	wav.Channel(h, left, samples, 0)                     // float32, int16 or int32, depending on left
//
// Samples are integers of 8, 16, 24 and 32 bits, floats of 32 and 64 bits, A-law or mu-law, of any number of channels.
// A header may be WAVE_FORMAT_EXTENSIBLE. A writer may have left the sizes in a file unset (0 or 0xFFFFFFFF): then the
// samples extend to the end of the file. A truncated file has the samples that are in it.
//
// The rules are those of FFmpeg's reader, so that both give the same samples for the same file. Unsupported content,
// such as ADPCM, is spool.ErrUnsupported.
//
// # Values
//
// An n-bit sample v is v / 2^(n-1) as a float, in [-1, 1). Integers of another size keep the high bits, or are extended
// with zeros below. Floats become integers by rounding to even, and are clipped. A-law and mu-law samples have the
// 16-bit values of ITU-T G.711. These are the conversions of libswresample without dither.
//
// All functions are pure and safe for concurrent use. Their arguments are lent.
package wav
