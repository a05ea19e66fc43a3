package decode

// Jump has windows of a sound begin at a packet shortly before them, however short the way from the front is. Preroll
// is in samples, that of the codec where it is negative. It reports whether the sound can.
func (a *Audio) Jump(preroll int64) bool {
	t, ok := a.track.(*codedTrack)
	if !ok {
		return false
	}
	t.way.worth = 1
	if preroll >= 0 {
		t.way.exact, t.way.preroll = t.way.clock, preroll
	}
	return t.way.exact
}

// Jumps reports whether the last window did begin at a packet.
func (a *Audio) Jumps() bool {
	t, ok := a.track.(*codedTrack)
	return ok && t.quiet > 0
}
