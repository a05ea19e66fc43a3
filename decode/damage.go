package decode

import "github.com/spoolmedia/spool"

// Damage is a policy for frames that are damaged, or that the decoder does not give. The missing end of a truncated
// file is not damage: there are no frames in it.
//
// A frame is damaged when its packet is, or an earlier packet of its GOP that other frames are predicted from. This
// holds as far as the decoder or the container detects it: a wrong bit may give an image as valid as any. A frame's
// state does not depend on the other frames of a request. For this, GOPs with damage are decoded up to four times. Only
// with several threads, a decoder may conceal damage without a report.
type Damage uint8

const (
	FailOnDamage   Damage = iota // the clip fails
	MarkDamage                   // the frame as far as it could be decoded, or video.Spec.Fill, marked
	RepeatOnDamage               // the last whole frame in its place, marked; video.Spec.Fill before the first whole frame
)

// DamagedPacket is damage that a decoder or demuxer reported.
type DamagedPacket struct {
	PTS   float64 // in seconds; NaN if the packet has none
	Class spool.Class
	Text  string
}
