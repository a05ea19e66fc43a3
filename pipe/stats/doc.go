// Package stats describes what a pipeline did, and what it could do.
//
// A [Report] has the figures of each stage: items, service times, waits and occupancy. Its verdict names the
// bottleneck. A [Profile] has the speed of each stage alone. A [Model] of either predicts the effect of other settings.
// All of them are plain values, which package pipe returns. They need no pipeline, so a program can keep, compare and
// draw them without one.
//
// A [Histogram] is not safe for concurrent use. The others are safe while no goroutine writes to them.
package stats
