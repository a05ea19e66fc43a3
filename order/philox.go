package order

import "math/bits"

// The lowest byte of the second half of every key identifies the use of the numbers, so that no two uses share a block.
// The higher bytes are the occurrence of a Draw.
const (
	streamRand = iota
	streamPermutation
	streamReplacement
	streamWeighted
	streamClass       // the order of classes
	streamClassMember // the order of a class's samples
	streamShard
	streamWindow
	streamBucket      // the order within a bucket
	streamBucketBatch // the order of all batches
)

// philox is Philox4x64-10: 256 random bits for each counter and key. It is from Salmon, Moraes, Dror and Shaw, Parallel
// Random Numbers: As Easy as 1, 2, 3, SC 2011. Constants and known answers are those of their library Random123.
// NumPy's Philox is the same function.
func philox(counter [4]uint64, key [2]uint64) [4]uint64 {
	const rounds = 10
	c, k := counter, key
	for range rounds {
		hi0, lo0 := bits.Mul64(0xD2E7470EE14C6C93, c[0])
		hi1, lo1 := bits.Mul64(0xCA5A826395121157, c[2])
		c = [4]uint64{hi1 ^ c[1] ^ k[0], lo1, hi0 ^ c[3] ^ k[1], lo0}
		k[0] += 0x9E3779B97F4A7C15 // the golden ratio
		k[1] += 0xBB67AE8584CAA73B // the square root of 3, minus one
	}
	return c
}
