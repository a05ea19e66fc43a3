// Package rowtarget checks where decoders of images write rows: to a sink, or to memory.
package rowtarget

import "github.com/spoolmedia/spool/internal/invalid"

// Target is the part of a decoder's options that says where rows go, and how many of them must be there.
type Target struct {
	Sink, Dst           bool // whether they are set
	Width, Height       int  // of the image that the sink is for
	First, Last, Stride int  // of the rows in Dst
	Accept              float64
}

// Validate adds all problems of a target. most is the largest width and height of the format, and lane begins texts.
func (t Target) Validate(bad *invalid.Options, lane string, most int) {
	extent := func(n int) bool { return 0 < n && n <= most }
	switch {
	case t.Sink && t.Dst:
		bad.Addf("%s: both Sink and Dst are set", lane)
	case t.Sink && (!extent(t.Width) || !extent(t.Height)):
		bad.Addf("%s: Width %d and Height %d are not those of an image", lane, t.Width, t.Height)
	case t.Sink && (t.First != 0 || t.Last != 0 || t.Stride != 0):
		bad.Addf("%s: First %d, Last %d, Stride %d are for Dst: a sink names its rows", lane, t.First, t.Last, t.Stride)
	case !t.Sink && (min(t.First, t.Last) < 0 || max(t.First, t.Last) > most || t.Last != 0 && t.First > t.Last):
		bad.Addf("%s: rows [%d, %d)", lane, t.First, t.Last)
	}
	if t.Stride < 0 {
		bad.Addf("%s: Stride %d is negative", lane, t.Stride)
	}
	if !(t.Accept >= 0 && t.Accept <= 1) {
		bad.Addf("%s: Accept %v is not in [0, 1]", lane, t.Accept)
	}
}
