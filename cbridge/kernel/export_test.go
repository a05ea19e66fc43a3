package kernel

// Exports for tests: sinks of a given kernel level.
var (
	NewSinkAt = newSink
	LevelName = levelName
	Levels    = best + 1
)

// EngineBytes returns the scratch memory that C counts.
func (r *Prepared) EngineBytes() int { return r.engineBytes() }

// SetRing sets the size in bytes up to which rows are kept between the passes, even if sums would take less.
func (p *Plan) SetRing(bytes int) { p.ring = bytes }
