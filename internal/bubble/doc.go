// Package bubble runs tests in bubbles of testing/synctest, also with the race detector.
//
// A bubble's timers share one context of the race detector. A goroutine that receives from a timer, or stops it, may
// run it while another goroutine runs a timer due at the same instant. Both then use that context at the same time,
// which ends the process with "ThreadSanitizer: CHECK failed" or a segmentation fault
// (https://go.dev/issue/78156, present in Go 1.26). So a bubble runs on one processor if the race detector is on. The
// detector finds races by missing synchronization, and needs no parallel execution for that.
package bubble
