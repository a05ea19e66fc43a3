// Package trace writes what the workers of a pipeline did as a trace, which Perfetto (ui.perfetto.dev) and Chrome
// (chrome://tracing) show.
//
// A trace has a track for each worker of each stage, with a slice for each item, and arrows that follow an item from
// its source to its batch. The format is the JSON of Chrome's trace events. Events are written while the pipeline runs,
// so memory does not grow with the length of a run. An item takes some 200 bytes of the file at each stage.
//
// Pauses and counters of Go's runtime come from packages runtime/debug and runtime/metrics, which keep them anyway.
// The events of runtime/trace would also show when goroutines run, but they slow the program down, and only
// golang.org/x/exp/trace reads them.
package trace
