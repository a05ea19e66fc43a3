package resample

// The seams of the tests: kernels of a given level.
var (
	LevelName = levelName
	Levels    = best + 1
	MixAt     = mix
	StoreAt   = store
)

// SetLevel sets which kernels a resampler uses.
func (r *Resampler) SetLevel(level int) { r.level = level }

// Bytes is what a filter counts for in a cache.
func (f *Filter) Bytes() int { return f.bytes() }
