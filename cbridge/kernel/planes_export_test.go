package kernel

// The seams of the tests: planes sinks of a given level.
var (
	NewPlanesAt  = newPlanes
	PlanesLevels = bestPlanes + 1
)
