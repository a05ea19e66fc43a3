// Package queue has the queues between stages, the borders between epochs in them, and the release of items that reach
// no owner.
package queue
