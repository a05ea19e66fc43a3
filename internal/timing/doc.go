// Package timing holds limits of real time that tests check only on request.
//
// A limit that holds on an idle machine fails on a busy one, where nothing is wrong. So a test logs each duration, and
// fails beyond the limit only if SPOOL_TIMING is set. "make timing" sets it, and runs one package at a time. Facts that
// hold on any machine (a call ends, its result, its order) do not use this package: tests wait for them without a
// limit.
package timing
