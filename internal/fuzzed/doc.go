// Package fuzzed counts the inputs that a fuzz target did not refuse early.
//
// A target that refuses nearly all of its inputs at their first bytes exercises nothing, however many there are.
// Each target calls [Accept] once for an input that got past its header, or past whatever else a refusal is. Workers
// of the fuzz engine are processes of their own, so the count lies in a file, which tools/fuzz makes and reads. In
// other runs nothing is counted.
package fuzzed
