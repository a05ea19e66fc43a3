package baseline

// NewOf is an engine with the kernels of a level, of those that this machine has: 0 is scalar.
func NewOf(level int) *Engine { return &Engine{level: 1 + level} }

// Levels is their number.
func Levels() int { return levels }
