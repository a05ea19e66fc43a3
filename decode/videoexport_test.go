package decode

// Probed is of how many kinds of video probing is remembered.
func (d *Decoder) Probed() int { return len(d.probes.known) }

// Shares is how runs are shared between workers.
var Shares = shares
