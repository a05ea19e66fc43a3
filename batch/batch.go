package batch

import (
	"slices"

	"github.com/spoolmedia/spool"
)

// SlotState is how completely the sample of a slot was decoded.
type SlotState uint8

const (
	Whole       SlotState = iota // decoded completely
	Damaged                      // decoded in part; the rest has a fill color, or is silent
	Placeholder                  // not decoded; filled with a color, zeros or silence
)

// Sample describes the sample in one slot of a batch.
type Sample struct {
	ID    int64  // position in the source
	Name  string // name in the source
	Key   string // key in the data set; may be empty
	Label int64  // integer class; -1 if the source has none
	Place int    // position in the order in which the caller took up the epoch's samples: how far the epoch is
	// Occurrence is how often the sample came before in the epoch, on all ranks. The sample's random numbers depend on
	// (seed, epoch, occurrence, id).
	Occurrence int
	// Padding reports that the slot only fills the batch or the rank's share, with a sample that another slot of the epoch
	// also has. Without these slots, all ranks together have each sample once, or as often as the sampler chose it.
	Padding bool
	State   SlotState
	// Crop is the area shown in the slot: of an image or clip, or of the first one of a record. It is zero for audio, and
	// for a placeholder.
	Crop Crop `json:"View"`

	// Values are the fields of a record whose size varies, in the order of its schema. Absent names the optional fields
	// that the sample lacks.
	Values []Value  `json:",omitempty"`
	Absent []string `json:",omitempty"`

	// Of clips and audio that are no fields of records, which have arrays for them.
	Frames []Frame // of a clip: the frames in the slot; nil for a placeholder
	Start  float64 // of audio: where the slot's window begins, in seconds
	Length int     // of audio: samples per channel before the padding with silence
	More   bool    // of a file delivered in several batches: another one follows

	// Blank counts the padding within the results of a record: pixels of images outside of the image, those of frames that
	// pad a clip, and audio samples after the end.
	Blank int `json:",omitempty"`

	// Warnings counts the irregularities that the decoder reported but accepted, damage included. Warning is the text of
	// the first.
	Warnings int
	Warning  string
}

// Lacks reports whether a record lacks an optional field.
func (s *Sample) Lacks(field string) bool { return slices.Contains(s.Absent, field) }

// Frame describes one frame of a clip: its index in the file, and its time and duration in the file's seconds.
type Frame struct {
	Index         int
	PTS, Duration float64
	State         SlotState // also Damaged if another frame or a color replaces a missing frame
}

// Crop is the area of an image that a slot shows. Coordinates are pixels from the left and upper edge of the upright
// image: pixel i covers [i, i+1]. The area extends beyond the image where the slot is padded. FlipX and FlipY report
// that the slot is mirrored left to right, and top to bottom. Programs that train detectors transform boxes and key
// points with it.
type Crop struct {
	Left, Top, Width, Height float64
	FlipX, FlipY             bool
}

// Map returns the coordinates of an image's point (x, y) in a slot of width x height pixels. They are outside the slot
// if the point is outside the crop.
func (c Crop) Map(x, y float64, width, height int) (slotX, slotY float64) {
	slotX, slotY = (x-c.Left)*float64(width)/c.Width, (y-c.Top)*float64(height)/c.Height
	if c.FlipX {
		slotX = float64(width) - slotX
	}
	if c.FlipY {
		slotY = float64(height) - slotY
	}
	return slotX, slotY
}

// Batch is samples in contiguous memory, without gaps: slot i begins at i times the bytes of one sample. A batch of
// records has one such array for each field. Where the samples of a field differ in size, see Varies. Concurrent reads
// are safe; other concurrent use is not.
type Batch struct {
	// Samples describes the slots, in order: one entry per slot, padding included.
	Samples []Sample
	// Padded is how many slots at the end are padding that the assembler added: copies of the last sample (see Pad), or
	// all slots (see AssemblerOptions.Batches). Their samples have Padding set. The samples that pad a rank's share have
	// it set, too, but Padded does not count them.
	Padded int
	// Epoch and Index are the batch's epoch and its position in the epoch, both from 0.
	Epoch, Index int

	// Taken and Waiting are set by Buckets: the number of places of the epoch that were taken up when the batch was
	// complete, and the places among these of samples that wait in buckets. Waiting is in ascending order.
	Taken   int
	Waiting []int

	buffer *spool.Buffer
	layout *layout
}

// FromBuffer returns a batch of one sample, of any size, that was decoded into its own buffer. The batch's description
// is the buffer's, with a leading dimension of 1. The batch owns the buffer.
func FromBuffer(buffer *spool.Buffer, s Sample, epoch, index int) *Batch {
	l := newLayout([]Field{{Sample: buffer.Desc()}}, 1)
	return &Batch{Samples: []Sample{s}, Epoch: epoch, Index: index, buffer: buffer, layout: &l}
}

// Len returns the number of slots, padding included.
func (b *Batch) Len() int { return len(b.Samples) }

// Fields returns the arrays of a sample: one without a name, or those of a record. Callers must not change the slice.
func (b *Batch) Fields() []Field { return b.layout.fields }

// Desc describes all slots: [n h w c] or [n c h w] for images, the same with the frames after n for clips, and [n c t]
// or [n t c] for audio. Of a batch with several fields, it describes the first.
func (b *Batch) Desc() spool.Desc { return b.FieldDesc(0) }

// FieldDesc describes all slots of a field. A ragged field is one flat array, [elements], of its samples one after the
// other. A field of patches has a row for each patch, [patches elements].
func (b *Batch) FieldDesc(f int) spool.Desc {
	d := b.layout.fields[f].Sample
	if b.Patched(f) {
		row := b.SampleDesc(f, 0).Shape[1]
		return spool.Desc{Shape: spool.Shape{len(b.FieldBytes(f)) / d.DType.Size() / row, row}, DType: d.DType}
	}
	if b.Ragged(f) {
		return spool.Desc{Shape: spool.Shape{len(b.FieldBytes(f)) / d.DType.Size()}, DType: d.DType}
	}
	d.Shape, d.Layout = append(spool.Shape{len(b.Samples)}, d.Shape...), d.Layout.Batched()
	return d
}

// Bytes returns the memory of all slots, valid until Release. It begins at a multiple of 64 bytes. Slots follow each
// other without gaps, so they are aligned to their elements only. Of a batch with several fields, it is the first's.
func (b *Batch) Bytes() []byte { return b.FieldBytes(0) }

// FieldBytes returns the memory of all slots of a field, as Bytes does for the first.
func (b *Batch) FieldBytes(f int) []byte { return b.layout.at(b.buffer, f, 0, len(b.Samples)) }

// Memory returns the memory of all fields, with the gaps between them. The array of a field begins at its FieldOffset.
func (b *Batch) Memory() []byte {
	last := len(b.layout.fields) - 1
	end := b.layout.base[last] + b.layout.start(last, len(b.Samples))
	return b.buffer.Bytes()[:end:end]
}

// FieldOffset returns where the array of a field begins in Memory.
func (b *Batch) FieldOffset(f int) int { return b.layout.base[f] }

// Slot returns the memory of sample i in the first field, valid until Release.
func (b *Batch) Slot(i int) []byte { return b.layout.at(b.buffer, 0, i, i+1) }

// Labels returns the slots' labels, in order, as a new slice.
func (b *Batch) Labels() []int64 {
	labels := make([]int64, len(b.Samples))
	for i, s := range b.Samples {
		labels[i] = s.Label
	}
	return labels
}

// Retain returns another owner of the batch's memory. From then on the memory is read-only, and both owners call
// Release. Both share the slice Samples; the other fields are separate.
func (b *Batch) Retain() *Batch {
	shared := *b
	shared.buffer.Retain()
	return &shared
}

// Exempt removes the batch's memory from its pool's ceiling, so that it can be kept: see spool.Buffer.Exempt.
func (b *Batch) Exempt() { b.buffer.Exempt() }

// Release returns the memory to the pool.
func (b *Batch) Release() { b.buffer.Release() }
