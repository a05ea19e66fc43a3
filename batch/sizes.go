package batch

import "github.com/spoolmedia/spool"

// Varies reports whether the samples of a field differ in size: see Collator.
func (b *Batch) Varies(f int) bool { return b.layout.shapes != nil && b.layout.shapes[f] != nil }

// Ragged reports whether the samples of a field differ in size, and follow each other without padding. Its FieldDesc is
// that of one flat array, and SampleBytes has the memory of each sample.
func (b *Batch) Ragged(f int) bool { return b.layout.ragged(f) }

// SampleDesc describes sample i of a field by itself. In a padded batch, it is the left upper part of its slot.
func (b *Batch) SampleDesc(f, i int) spool.Desc {
	d := b.layout.fields[f].Sample
	if b.Varies(f) {
		d.Shape = b.layout.shapes[f][i]
	}
	if b.Patched(f) {
		d.Layout = spool.Flat
	}
	return d
}

// SampleBytes returns the memory of sample i of a field, valid until Release: its slot, with its padding.
func (b *Batch) SampleBytes(f, i int) []byte { return b.layout.at(b.buffer, f, i, i+1) }

// Grid returns the rows and columns of patches of sample i. It returns zeros for a field that has no patches.
func (b *Batch) Grid(f, i int) (rows, columns int) {
	if b.layout.grids == nil || b.layout.grids[f] == nil {
		return 0, 0
	}
	grid := b.layout.grids[f][i]
	return grid[0], grid[1]
}

// Patched reports whether the samples of a field are patches: see Patches. Its FieldDesc has a row for each.
func (b *Batch) Patched(f int) bool { return b.layout.grids != nil && b.layout.grids[f] != nil }

// Waste is how much of images, clips and audio is padding, in pixels and in audio samples of one channel, added up.
type Waste struct {
	Pixels  int64 `json:"pixels"`  // of all images, frames and audio, with their padding
	Padding int64 `json:"padding"` // of these, pixels that show nothing of an image, and samples after the audio's end
}

// Add adds the pixels of another batch.
func (w *Waste) Add(x Waste) {
	w.Pixels += x.Pixels
	w.Padding += x.Padding
}

// Share returns the padding's share of all pixels, from 0 to 1.
func (w Waste) Share() float64 {
	if w.Pixels == 0 {
		return 0
	}
	return float64(w.Padding) / float64(w.Pixels)
}

// Waste returns the padding of the batch: what fills the batch, what is outside of images within their results, as for
// a resize that keeps the aspect ratio, frames that pad a clip, and silence after audio. Slots that only fill the batch
// do not count.
func (b *Batch) Waste() (w Waste) {
	for i, s := range b.Samples {
		if s.Padding {
			continue
		}
		w.Padding += int64(s.Blank)
		for f := range b.layout.fields {
			own := pixels(b.SampleDesc(f, i))
			all := own
			if !b.Ragged(f) {
				all = pixels(b.layout.fields[f].Sample)
			}
			w.Add(Waste{Pixels: all, Padding: all - own})
		}
	}
	return w
}

// pixels returns the number of pixels of an image or a clip, that of samples of a channel of audio, and 0 for another
// array.
func pixels(d spool.Desc) int64 {
	switch d.Layout {
	case spool.HWC:
		return int64(d.Shape[0]) * int64(d.Shape[1])
	case spool.CHW:
		return int64(d.Shape[1]) * int64(d.Shape[2])
	case spool.NHWC:
		return int64(d.Shape[0]) * int64(d.Shape[1]) * int64(d.Shape[2])
	case spool.NCHW:
		return int64(d.Shape[0]) * int64(d.Shape[2]) * int64(d.Shape[3])
	case spool.CT:
		return int64(d.Shape[1])
	case spool.TC:
		return int64(d.Shape[0])
	}
	return 0
}
