package imageops

import "github.com/spoolmedia/spool/augment"

// Levels is the number of instruction sets.
func Levels() int { return best + 1 }

// ApplyAt is Apply with an instruction set.
func (r Raster) ApplyAt(level int, steps []augment.Step, scratch []byte) error {
	return r.apply(steps, scratch, level)
}
