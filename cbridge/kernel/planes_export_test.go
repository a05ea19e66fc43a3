package kernel

// The seams of the tests: planes sinks of a given level, and a choice that they make.
var (
	NewPlanesAt  = newPlanes
	PlanesLevels = bestPlanes + 1

	// VerticalFirst is the order of the passes over a plane of a video.
	VerticalFirst = (*PlaneArea).verticalFirst
)
