package mutate

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// mutation is one change of a file. It may modify data in place, and returns the result.
type mutation func(r *rand.Rand, data []byte, files [][]byte) []byte

var mutations = [...]mutation{setByte, flipBit, setNumber, setNumber, remove, repeat, move, insert, fill, truncate,
	splice}

// interesting numbers are limits of the sizes and counts in file formats.
var interesting = [...]uint32{0, 1, 2, 7, 8, 16, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF,
	0x80000000, 0xFFFFFFFE, 0xFFFFFFFF}

// Case returns case i of the run with the given seed, and a number from which the target draws its options. The case is
// one of the files with one to eight changes, where few are more likely than many. If the file has a known container,
// half of its cases are changes of elements, with the right lengths and checksums. The others are blind.
func Case(files [][]byte, seed, i uint64) (data []byte, knobs uint64) {
	r := rand.New(rand.NewPCG(seed, i))
	data = bytes.Clone(files[r.IntN(len(files))])
	if c := containerOf(data); c != nil && r.IntN(2) == 0 {
		if changed := structured(r, c, data, files); changed != nil {
			return changed, r.Uint64()
		}
	}
	return blind(r, data, files), r.Uint64()
}

// blind changes bytes anywhere.
func blind(r *rand.Rand, data []byte, files [][]byte) []byte {
	for n := 1 << r.IntN(4); n > 0; n-- {
		if len(data) == 0 {
			break
		}
		data = mutations[r.IntN(len(mutations))](r, data, files)
	}
	return data
}

// randomOffset returns a random offset. Half of them are in the first 64 bytes, where headers are.
func randomOffset(r *rand.Rand, data []byte) int {
	if r.IntN(2) == 0 {
		return r.IntN(min(len(data), 64))
	}
	return r.IntN(len(data))
}

// randomRange returns a random range of the data, mostly a short one.
func randomRange(r *rand.Rand, data []byte) (first, last int) {
	first = randomOffset(r, data)
	return first, min(len(data), first+1+r.IntN(1<<(1+r.IntN(10))))
}

func setByte(r *rand.Rand, data []byte, _ [][]byte) []byte {
	data[randomOffset(r, data)] = byte(r.Uint32())
	return data
}

func flipBit(r *rand.Rand, data []byte, _ [][]byte) []byte {
	data[randomOffset(r, data)] ^= 1 << r.IntN(8)
	return data
}

// setNumber writes an interesting number of 8, 16 or 32 bits in either byte order.
func setNumber(r *rand.Rand, data []byte, _ [][]byte) []byte {
	var number [4]byte
	value, size := interesting[r.IntN(len(interesting))], 1<<r.IntN(3)
	if r.IntN(2) == 0 {
		binary.LittleEndian.PutUint32(number[:], value)
	} else {
		binary.BigEndian.PutUint32(number[:], value<<(32-8*size))
	}
	copy(data[randomOffset(r, data):], number[:size])
	return data
}

func remove(r *rand.Rand, data []byte, _ [][]byte) []byte {
	first, last := randomRange(r, data)
	return slices.Delete(data, first, last)
}

func repeat(r *rand.Rand, data []byte, _ [][]byte) []byte {
	first, last := randomRange(r, data)
	return slices.Insert(data, first, bytes.Clone(data[first:last])...)
}

func move(r *rand.Rand, data []byte, _ [][]byte) []byte {
	first, last := randomRange(r, data)
	copy(data[randomOffset(r, data):], bytes.Clone(data[first:last]))
	return data
}

func insert(r *rand.Rand, data []byte, _ [][]byte) []byte {
	noise := make([]byte, 1+r.IntN(16))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	return slices.Insert(data, randomOffset(r, data), noise...)
}

func fill(r *rand.Rand, data []byte, _ [][]byte) []byte {
	first, last := randomRange(r, data)
	value := byte(r.Uint32())
	for i := first; i < last; i++ {
		data[i] = value
	}
	return data
}

func truncate(r *rand.Rand, data []byte, _ [][]byte) []byte {
	return data[:randomOffset(r, data)]
}

// splice replaces the end of the data with the end of another file.
func splice(r *rand.Rand, data []byte, files [][]byte) []byte {
	other := files[r.IntN(len(files))]
	if len(other) == 0 {
		return data
	}
	return append(data[:randomOffset(r, data)], other[randomOffset(r, other):]...)
}
