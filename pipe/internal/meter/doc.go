// Package meter measures what a stage's workers do. Package queue reports when they wait, and package pipe reports all
// other changes.
package meter
