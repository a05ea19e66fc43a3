package order

// Draw is what the random numbers of a sample follow from: crops, flips, clips and windows of one delivery.
//
// Occurrence tells apart the deliveries of an id that comes several times in an epoch: see Counted. With 0 the numbers
// are those of NewRand.
type Draw struct {
	Seed, Epoch, ID uint64
	Occurrence      int // from 0, below 2^55
}

// occurrenceShift is where an occurrence begins in the second half of a key, above the number of the stream.
const occurrenceShift = 8

// Rand gives the random numbers of an operation. Operations choose their op numbers.
func (d Draw) Rand(op uint64) Rand {
	stream := streamRand | uint64(d.Occurrence)<<occurrenceShift
	return Rand{key: [2]uint64{d.Seed, stream}, counter: [4]uint64{0, d.ID, d.Epoch, op}, used: 4}
}
