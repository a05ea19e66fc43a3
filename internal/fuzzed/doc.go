// Package fuzzed counts the inputs that a fuzz target did not reject early.
//
// A target that rejects nearly all of its inputs at their first bytes exercises nothing, however many inputs run. So
// each target calls [Accept] once for each input that passes its header checks, or whatever other check rejects inputs.
// Workers of the fuzz engine are separate processes, so the count is in a file, which tools/fuzz creates and reads. In
// other runs nothing is counted.
//
// A target that compares with another implementation calls [Disagree] for a difference that has a known reason, and
// fails for any other one. So the ledger has the number of each.
package fuzzed
