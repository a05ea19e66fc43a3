package kernel

// The seams of the tests: sinks of a given level.
var (
	NewSinkAt = newSink
	LevelName = levelName
	Levels    = best + 1
)

// SetRing sets how many bytes of rows are kept between the passes even if sums would take less.
func (p *Plan) SetRing(bytes int) { p.ring = bytes }
