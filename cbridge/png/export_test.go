package png

// Exports for tests: the implementations of the filters, and of the inflater.
var (
	Levels        = levels
	Level         = levelName
	UnfilterAt    = unfilter
	Inflate       = inflate
	InflateLevels = inflateLevels
)
