package audio

// Jump makes windows begin at a packet shortly before them, however near the beginning they are. Preroll is in samples;
// a negative one means the codec's. It reports whether the track can seek.
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

// Jumps reports whether the last window began with a seek to a packet.
func (a *Audio) Jumps() bool {
	t, ok := a.track.(*codedTrack)
	return ok && t.reportFrom > 0
}
