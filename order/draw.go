package order

// Draw identifies the random numbers for one delivery of a sample: for its crops, flips, operations on pixels, clips
// and windows.
//
// Occurrence distinguishes the deliveries of an id that comes several times in an epoch: see Counted. For occurrence 0
// the numbers are those of NewRand.
type Draw struct {
	Seed, Epoch, ID uint64
	Occurrence      int // from 0, below 2^55
	View            int // of several results of one sample; from 0, below 2^31
}

// The operations that several packages draw for a sample. Their numbers are part of the random numbers' keys, and so
// fixed for all releases. The operations of resize.Augment, of augment.Ops and of loader.Rand on the same sample have
// others.
const (
	OpClip   = 16 // where a clip of a video begins
	OpWindow = 17 // where a window of audio begins
)

// occurrenceShift is the bit where the occurrence begins in the second half of a key, above the stream's number.
const occurrenceShift = 8

// viewShift is the bit where the view begins in the last word of a counter, above the number of the operation.
const viewShift = 32

// Rand returns the random numbers of an operation. Each operation has its own number op, below 2^32.
func (d Draw) Rand(op uint64) Rand {
	stream := streamRand | uint64(d.Occurrence)<<occurrenceShift
	op |= uint64(d.View) << viewShift
	return Rand{key: [2]uint64{d.Seed, stream}, counter: [4]uint64{0, d.ID, d.Epoch, op}, used: 4}
}
