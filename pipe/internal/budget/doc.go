// Package budget counts the bytes that several users have at a time, up to a limit. Tests of pipelines use it in place
// of a pool of buffers: it needs no memory, has no size classes, and its limit can change.
package budget
