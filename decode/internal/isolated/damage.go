package isolated

import (
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
)

// Damage is a decode.DamagedPacket as JSON, which has no NaN.
type Damage struct {
	PTS   uint64 // the bits of a float64
	Class spool.Class
	Text  string
}

// WireDamage makes a list for a reply.
func WireDamage(list []decode.DamagedPacket) []Damage {
	wire := make([]Damage, len(list))
	for i, d := range list {
		wire[i] = Damage{math.Float64bits(d.PTS), d.Class, d.Text}
	}
	return wire
}

// Damages is the list of a reply; nil for an empty one.
func Damages(wire []Damage) (list []decode.DamagedPacket) {
	for _, w := range wire {
		list = append(list, decode.DamagedPacket{PTS: math.Float64frombits(w.PTS), Class: w.Class, Text: w.Text})
	}
	return list
}
