package wav

import "strconv"

// Encoding is how a file stores one sample. All encodings are little endian.
type Encoding uint8

// The encodings.
const (
	Uint8   Encoding = iota + 1 // 128 is silence
	Int16                       // two's complement
	Int24                       // in three bytes
	Int32                       // two's complement
	Float32                     // IEEE 754, full scale is 1
	Float64                     // IEEE 754 of 64 bits, full scale is 1
	ALaw                        // ITU-T G.711, 8 bits
	MuLaw                       // ITU-T G.711, 8 bits
)

// Size is the number of bytes of one sample.
func (e Encoding) Size() int {
	switch e {
	case Uint8, ALaw, MuLaw:
		return 1
	case Int16:
		return 2
	case Int24:
		return 3
	case Int32, Float32:
		return 4
	case Float64:
		return 8
	}
	return 0
}

// String is FFmpeg's name of the codec.
func (e Encoding) String() string {
	switch e {
	case Uint8:
		return "pcm_u8"
	case Int16:
		return "pcm_s16le"
	case Int24:
		return "pcm_s24le"
	case Int32:
		return "pcm_s32le"
	case Float32:
		return "pcm_f32le"
	case Float64:
		return "pcm_f64le"
	case ALaw:
		return "pcm_alaw"
	case MuLaw:
		return "pcm_mulaw"
	}
	return "Encoding(" + strconv.Itoa(int(e)) + ")"
}

// Values of wFormatTag, from mmreg.h.
const (
	tagPCM        = 1
	tagFloat      = 3
	tagALaw       = 6
	tagMuLaw      = 7
	tagExtensible = 0xfffe
)

// encodingOf is the encoding for a format tag and a number of bits; 0 if there is none. Samples are stored in whole
// bytes, left-justified.
func encodingOf(tag uint16, bits int) Encoding {
	switch tag {
	case tagPCM:
		if bits >= 1 && bits <= 32 {
			return [...]Encoding{Uint8, Int16, Int24, Int32}[(bits-1)/8]
		}
	case tagFloat:
		switch bits {
		case 32:
			return Float32
		case 64:
			return Float64
		}
	case tagALaw:
		return ALaw
	case tagMuLaw:
		return MuLaw
	}
	return 0
}
