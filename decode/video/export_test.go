package video

// Probed is the number of cached probes.
func (d *Decoder) Probed() int { return len(d.probes.known) }

// Shares exports shares.
var Shares = shares
