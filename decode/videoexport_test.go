package decode

// Probed is of how many kinds of video probing is remembered.
func (d *Decoder) Probed() int { return len(d.probes.known) }

// Portions is how runs are dealt out to workers.
var Portions = portions
