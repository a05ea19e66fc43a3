// Package seed says which random cases a test tries: the same in every run, unless it is told to explore.
//
// A test that seeds itself from the clock fails at any time for what was wrong long before, in a change that
// has nothing to do with it. Here a test's seed is made of its name. To look for more, set SPOOL_SEED:
// "random" is another seed in each run, and a number is one that failed, which a failed run has printed.
package seed
