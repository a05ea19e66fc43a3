package kernel

// The seams of the tests: sinks of a given level.
var (
	NewSinkAt = newSink
	LevelName = levelName
	Levels    = best + 1
)
