package fuzzed

import (
	"math/rand/v2"
	"testing"
)

// Decisions makes a fuzz target whose input is a source of random numbers. Every input is accepted.
func Decisions(f *testing.F, check func(t *testing.T, r *rand.Rand)) {
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 8*seed)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Accept()
		check(t, Rand(data))
	})
}
