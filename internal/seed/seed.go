package seed

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Of returns the seed of a test and logs it.
func Of(t testing.TB) uint64 {
	t.Helper()
	seed, err := choose(os.Getenv("SPOOL_SEED"), t.Name())
	if err != nil {
		t.Fatalf("SPOOL_SEED is neither \"random\" nor a number: %v", err)
	}
	t.Logf("SPOOL_SEED=%d", seed)
	return seed
}

// Rand returns random numbers that follow from the seed of a test.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Of(t), 0))
}

func choose(wish, name string) (uint64, error) {
	switch wish {
	case "":
		h := fnv.New64a()
		h.Write([]byte(name))
		return h.Sum64(), nil
	case "random":
		return rand.Uint64(), nil
	}
	return strconv.ParseUint(wish, 10, 64)
}
