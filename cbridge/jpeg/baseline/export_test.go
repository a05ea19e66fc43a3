package baseline

// NewOf returns an engine with the kernels of a level that this machine has: 0 is scalar.
func NewOf(level int) *Engine { return &Engine{level: 1 + level} }

// Levels returns the number of levels.
func Levels() int { return levels }

// Best returns the level that engines use.
func Best() int { return best }

// LevelName returns the instruction set of a level.
var LevelName = levelName
