package spool

// Layout names the order of a shape's dimensions, outermost first: N samples, H rows, W columns, C channels, T points
// in time.
type Layout uint8

const (
	Flat Layout = iota // no order: bytes, labels
	HWC                // one picture, interleaved: [h w c]
	CHW                // one picture, planar: [c h w]
	NHWC               // a batch of pictures, interleaved: [n h w c]
	NCHW               // a batch of pictures, planar: [n c h w]
	CT                 // one sound, planar: [c t]
	TC                 // one sound, interleaved: [t c]
	NCT                // a batch of sounds, planar: [n c t]
	NTC                // a batch of sounds, interleaved: [n t c]
)

// String is the layout's letters.
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

// Batched is the layout of many samples of layout l.
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
