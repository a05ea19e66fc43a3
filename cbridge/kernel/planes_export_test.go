package kernel

// Exports for tests: planes sinks of a given kernel level, and a decision that they make.
var (
	NewPlanesAt  = newPlanes
	PlanesLevels = planesLevels

	// VerticalFirst reports the order of the passes over a plane of a video.
	VerticalFirst = (*PlaneArea).verticalFirst
)
