package spool

// Layout names the order of a shape's dimensions, outermost first: N samples, H rows, W columns, C channels, T points
// in time. NHWC and NCHW describe the last three dimensions and any number of dimensions before them: a clip is
// [frames h w c], and a batch of clips [n frames h w c].
type Layout uint8

const (
	Flat Layout = iota // no order: bytes, labels, masks of one channel
	HWC                // one image, interleaved: [h w c]
	CHW                // one image, planar: [c h w]
	NHWC               // a batch of images, or a clip, interleaved: [n h w c]
	NCHW               // a batch of images, or a clip, planar: [n c h w]
	CT                 // audio of one sample, planar: [c t]
	TC                 // audio of one sample, interleaved: [t c]
	NCT                // a batch of audio, planar: [n c t]
	NTC                // a batch of audio, interleaved: [n t c]
)

// String returns the layout's letters, or "flat".
func (l Layout) String() string {
	switch l {
	case HWC:
		return "HWC"
	case CHW:
		return "CHW"
	case NHWC:
		return "NHWC"
	case NCHW:
		return "NCHW"
	case CT:
		return "CT"
	case TC:
		return "TC"
	case NCT:
		return "NCT"
	case NTC:
		return "NTC"
	}
	return "flat"
}

// Batched returns the layout of a batch of samples that have layout l. It is l itself for clips and for Flat.
func (l Layout) Batched() Layout {
	switch l {
	case HWC:
		return NHWC
	case CHW:
		return NCHW
	case CT:
		return NCT
	case TC:
		return NTC
	}
	return l
}
