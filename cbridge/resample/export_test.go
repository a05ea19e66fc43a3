package resample

// Exports for tests: kernels of a given level.
var (
	LevelName = levelName
	Levels    = best + 1
	MixAt     = mix
	StoreAt   = store
)

// SetLevel sets the kernels of a resampler.
func (r *Resampler) SetLevel(level int) { r.level = level }

// Bytes returns the size of a filter in a cache.
func (f *Filter) Bytes() int { return f.bytes() }
