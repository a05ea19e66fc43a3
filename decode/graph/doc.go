// Package graph runs any of FFmpeg's filter graphs, over frames and audio of several inputs.
//
// A [Decoder] opens graphs. An input is an object, a window of it, or packets. [Graph.Next] and [Graph.All] give the
// outputs in the order in which the graph makes them. A decoder is safe for concurrent use; a graph is for one
// goroutine at a time.
package graph
