// Package failure classifies errors of decoding: those of a context that ended, and those that are damage.
package failure
