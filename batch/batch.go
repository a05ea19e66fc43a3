package batch

import "github.com/spoolmedia/spool"

// State says how a slot got its contents.
type State uint8

const (
	Whole       State = iota // decoded completely
	Damaged                  // decoded in part, the rest is filled with a colour
	Placeholder              // not decoded at all, filled with a colour
)

// Sample is what a batch knows of the sample in one of its slots.
type Sample struct {
	ID    int64  // position in the source
	Name  string // as the source names it
	Key   string // what the data set calls it; empty where it does not
	Label int64  // class, -1 when the source has none
	Place int    // in the order in which samples were handed out, by whoever did: how far an epoch has come
	// Occurrence is how often the sample came before in the epoch, on all ranks: what is random of it is drawn by
	// (seed, epoch, occurrence, id).
	Occurrence int
	// Padding says that the slot only fills the batch, or the rank's share, with a sample that comes elsewhere in the epoch.
	// The slots of all ranks without it have each sample once, or as often as a sampler has it.
	Padding bool
	State   State
	View    View // of a picture or clip: which part of it lies in the slot; zero of a placeholder

	Frames []Frame // of a clip: what lies in the slot; nil of a placeholder
	Start  float64 // of sound: when what lies in the slot begins, in seconds
	Length int     // of sound: samples a channel that are not the silence behind it
	More   bool    // of a file that comes in parts: another one follows

	// Warnings is what the decoder found odd but read: how often, and the first in its words. Damage that
	// was accepted counts.
	Warnings int
	Warning  string
}

// Frame is a frame of a clip: which one of its file, and when it is shown, in the file's seconds.
type Frame struct {
	Index         int
	PTS, Duration float64
	State         State // Damaged also where another frame, or a colour, stands for one that did not come
}

// View is the part of a picture that a slot shows, in pixels from the left and upper edge of the upright
// picture: pixel i covers [i, i+1]. It reaches beyond the picture where there is padding. FlipX and FlipY say
// that it is shown mirrored, left to right and top to bottom. Who trains detectors moves boxes and key points
// by it.
type View struct {
	Left, Top, Width, Height float64
	FlipX, FlipY             bool
}

// Map gives the place in a slot of width x height pixels of the point (x, y) of the picture. It lies outside the
// slot when the point is not in the view.
func (v View) Map(x, y float64, width, height int) (slotX, slotY float64) {
	slotX, slotY = (x-v.Left)*float64(width)/v.Width, (y-v.Top)*float64(height)/v.Height
	if v.FlipX {
		slotX = float64(width) - slotX
	}
	if v.FlipY {
		slotY = float64(height) - slotY
	}
	return slotX, slotY
}

// Batch is a run of samples side by side: slot i begins at byte i x Desc.Bytes of one sample, no gaps.
// It is not safe for concurrent use, but reading from several goroutines is fine.
type Batch struct {
	// Samples are the slots' samples, in order. It has one entry a slot, padding included.
	Samples []Sample
	// Padded is how many slots at the end the batch itself repeats: its last sample (see Pad), or all (see Options.Batches).
	// Their samples have Padding, as have those that pad a rank's share, which Padded does not count.
	Padded int
	// Epoch and Index say which batch of which epoch this is, both from 0.
	Epoch, Index int

	buffer *spool.Buffer
	desc   spool.Desc
	slot   int // bytes of one sample
}

// Of makes a batch of one sample, of whatever size, that was decoded into a buffer of its own. The buffer's
// description becomes the batch's, with a 1 in front. The batch owns the buffer.
func Of(buffer *spool.Buffer, s Sample, epoch, index int) *Batch {
	d := buffer.Desc()
	n, _ := d.Bytes()
	d.Shape, d.Layout = append(spool.Shape{1}, d.Shape...), d.Layout.Batched()
	return &Batch{Samples: []Sample{s}, Epoch: epoch, Index: index, buffer: buffer, slot: n, desc: d}
}

// Len is the number of slots, padding included.
func (b *Batch) Len() int { return len(b.Samples) }

// Desc describes all slots: [n h w c] or [n c h w] of pictures, and with the frames behind n of clips; [n c t] or
// [n t c] of sound.
func (b *Batch) Desc() spool.Desc { return b.desc }

// Bytes is the memory of all slots, valid until Release. It begins at a multiple of 64 bytes; a slot begins
// where the one before it ends, and so is aligned to its elements but to no more.
func (b *Batch) Bytes() []byte {
	return b.buffer.Bytes()[: len(b.Samples)*b.slot : len(b.Samples)*b.slot]
}

// Slot is the memory of sample i, valid until Release.
func (b *Batch) Slot(i int) []byte {
	return b.buffer.Bytes()[i*b.slot : (i+1)*b.slot : (i+1)*b.slot]
}

// Labels is the label of each slot, in order: a new slice.
func (b *Batch) Labels() []int64 {
	labels := make([]int64, len(b.Samples))
	for i, s := range b.Samples {
		labels[i] = s.Label
	}
	return labels
}

// Share makes another owner of the batch's memory, which is to be read only then: both call Release. Samples are
// one slice of both, the other fields are each one's own.
func (b *Batch) Share() *Batch {
	shared := *b
	shared.buffer.Retain()
	return &shared
}

// Exempt lets the batch be kept without holding up its pool: see spool.Buffer.Exempt.
func (b *Batch) Exempt() { b.buffer.Exempt() }

// Release gives the memory back to the pool.
func (b *Batch) Release() { b.buffer.Release() }
