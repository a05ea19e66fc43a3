// Package meter measures what a stage's workers do. Package queue tells it when they wait, package pipe the rest.
package meter
