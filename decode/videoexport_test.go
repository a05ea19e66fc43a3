package decode

// Probed is the number of cached probes.
func (d *VideoDecoder) Probed() int { return len(d.probes.known) }

// Shares exports shares.
var Shares = shares
