package png

// For tests: the implementations of the filters.
var (
	Levels   = levels
	Level    = levelName
	Unfilter = unfilter
)
