// Package timing holds limits of real time that tests check only on request.
//
// A limit that holds on an idle machine fails on a busy one, where nothing is wrong. So a test logs the time that something took, and
// fails beyond the limit only where SPOOL_TIMING is set: "make timing" sets it, and runs one package at a time. What must hold on any machine (that a
// call ends, its result, its order) is no matter of this package: tests wait for it without a limit of their own.
package timing
