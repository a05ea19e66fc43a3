package decode

import "github.com/spoolmedia/spool"

// Damage is a policy for frames that are damaged, or that the decoder does not give. The missing end of a truncated
// file is not damage: it has no frames.
//
// A frame is damaged if its packet is damaged, or an earlier packet of its GOP that other frames are predicted from.
// Damage is known only if the decoder or the container detects it: an image with a wrong bit may be valid, too. A
// frame's state does not depend on the other frames of a request. For this, GOPs with damage are decoded up to four
// times. With several threads, a decoder may conceal damage without a report.
type Damage uint8

const (
	// FailOnDamage fails the clip.
	FailOnDamage Damage = iota
	// MarkDamage gives and marks the partially decoded frame, or video.Spec.Fill if the decoder gives none.
	MarkDamage
	// RepeatOnDamage gives and marks the last whole frame, or video.Spec.Fill before the first whole frame.
	RepeatOnDamage
)

// DamagedPacket is damage that a decoder or demuxer reported.
type DamagedPacket struct {
	PTS   float64 // in seconds; NaN if the packet has none
	Class spool.Class
	Text  string
}
