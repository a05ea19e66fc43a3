// Package seed chooses the random cases of a test: the same in every run, unless SPOOL_SEED is set.
//
// A test that takes its seed from the clock fails at random times for old bugs, in changes that are unrelated to them.
// So a test's seed here is a hash of its name. To explore more cases, set SPOOL_SEED. "random" chooses another seed in
// each run. A number repeats a failed run, which has printed it.
package seed
