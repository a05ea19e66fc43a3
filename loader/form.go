package loader

import (
	"cmp"
	"fmt"
	"math"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/enum"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
)

// FormKind is how batches hold samples of different sizes.
type FormKind uint8

const (
	FormDense   FormKind = iota // all samples have one size
	FormPad                     // each batch has the size of its largest sample; others are padded
	FormRagged                  // the samples of a batch follow each other without padding
	FormBucket                  // each batch has one of several sizes or lengths, by those of its samples
	FormBudget                  // a batch has as many samples as fit a number of pixels, tokens, frames or audio samples
	FormPatches                 // images are cut into square patches, the rows of one array
)

var formKindNames = enum.Names{"dense", "pad", "ragged", "bucket", "budget", "patches"}

// String is the form's name on the command line.
func (k FormKind) String() string { return formKindNames.Of("FormKind", uint8(k)) }

// Form is how batches hold fields of records that differ in size: images with the masks that follow them, clips of
// record.AllFrames, and audio without a length. The zero value is dense: all sizes are fixed. With the others but
// FormBucket, samples keep the sizes that their specs give them, and the batch has the size of each: see
// batch.Batch.SampleDesc. Batches and their order depend on the samples only, not on workers, and a state resumes them
// in the middle of an epoch. The number of batches of FormBucket and FormBudget differs between ranks, so several ranks
// need Sharing.Rest order.Uneven.
type Form struct {
	Kind FormKind

	// Multiple makes the sides of padded batches, and of the default buckets, multiples of it. 0 means 1 for padded
	// batches, and 16 for buckets.
	Multiple int
	// Fill is the value of the padding of images, in their own type. That of masks is record.Mask.Fill, and that of clips
	// and audio is 0.
	Fill float64

	// Buckets are the sizes of FormBucket. nil means eleven sizes with the area of the image field's size and aspect
	// ratios from 1:2 to 2:1. An image goes to the bucket with the nearest aspect ratio: of several, to the largest one
	// that is not larger than the image. Spec.Resize.Mode of the field says how it reaches that size.
	Buckets []Size
	// Field is the image field that has the size of the bucket; empty means the first. Other images need a fixed size.
	Field string
	// Lengths, instead of Buckets, are the buckets of a video or audio field: the first with record.AllFrames or without a
	// length, or Field. A sample goes to the shortest bucket that holds it, in frames or audio samples, and is
	// padded to its length. What exceeds the longest is cut off.
	Lengths []int

	// Pixels or Tokens is what FormBudget bounds, with Options.Batch as the most samples. An image of h x w pixels has
	// ceil(h/Patch) * ceil(w/Patch) tokens; Patch 0 means 16. In a padded batch, each image counts with its padding. A
	// sample that exceeds the budget alone is a bad sample, too-large. FormPatches may bound Tokens too.
	Pixels, Tokens int
	Patch          int
	// ClipFrames or AudioSamples, instead of Pixels or Tokens, bounds the frames of all clips of a batch, or the
	// samples of one channel of all its audio.
	ClipFrames, AudioSamples int
	// Merge and Frames are those of batch.Patches, for FormPatches: the patches have a side of Patch. Images need sides
	// that are multiples of Patch * Merge: see resize.Snap.
	Merge, Frames int
	// Ragged makes the batches of FormBudget like those of FormRagged, and not padded.
	Ragged bool

	// Memory bounds the bytes of decoded samples that wait for their batch, and of batches, together. A batch may take an
	// eighth of it; a sample that would make it larger is a bad sample, too-large. 0 means 4 GiB. Dense batches and
	// buckets need no such bound, since their sizes are known.
	Memory int64
}

// Size is the size of images.
type Size struct{ Width, Height int }

// String returns WIDTHxHEIGHT.
func (s Size) String() string { return fmt.Sprintf("%dx%d", s.Width, s.Height) }

// sized reports whether the arrays of samples have any size.
func (f Form) sized() bool { return f.Kind != FormDense && f.Kind != FormBucket }

// counted reports whether the number of batches follows from the number of samples.
func (f Form) counted() bool { return f.Kind != FormBucket && !f.budgeted() }

// budgeted reports whether the cost of a batch is bounded.
func (f Form) budgeted() bool { return f.Kind == FormBudget || f.Kind == FormPatches && f.Tokens > 0 }

// patch returns the side of a patch.
func (f Form) patch() int { return cmp.Or(f.Patch, 16) }

// patches returns how images are cut into patches, or nil.
func (f Form) patches() *batch.Patches {
	if f.Kind != FormPatches {
		return nil
	}
	return &batch.Patches{Size: f.patch(), Merge: f.Merge, Frames: f.Frames}
}

// ragged reports whether batches have no padding.
func (f Form) ragged() bool {
	return f.Kind == FormRagged || f.Kind == FormPatches || f.Kind == FormBudget && f.Ragged
}

// memory returns the ceiling.
func (f Form) memory() int64 {
	if f.Memory == 0 {
		return 4 << 30
	}
	return f.Memory
}

// largest returns the largest size of a batch.
func (f Form) largest() int { return int(min(f.memory()/8, math.MaxInt)) }

// validate adds the problems of a form for a schema and options.
func (f Form) validate(s record.Schema, o Options, bad *invalid.Options) {
	if f.Kind > FormPatches {
		bad.Value("Form.Kind", uint8(f.Kind), "no such form")
		return
	}
	f.validateNumbers(bad)
	f.validateUse(bad)
	if f.Kind == FormDense {
		return
	}
	kind := invalid.With("Form.Kind", f.Kind)
	if o.Order == batch.Any {
		bad.Needs(kind, invalid.With("Order", "exact"), "the batches would depend on timing")
	}
	if o.OnError == Placeholder {
		bad.Excludes(kind, invalid.With("OnError", "placeholder"), "a bad sample has no size")
	}
	if f.Kind == FormPatches {
		f.validateSides(s, bad)
	}
	if f.counted() {
		return
	}
	if o.Last == batch.Pad && f.budgeted() {
		bad.Excludes(kind, invalid.With("Last", "pad"), "batches have no common number of samples")
	}
	if o.Sharing.Rank.World > 1 && o.Sharing.Rest != order.Uneven {
		bad.Needs(append(kind, invalid.Named("Sharing.Rank")...), invalid.With("Sharing.Rest", "uneven"),
			"the number of batches depends on the sizes of a rank's images, so it differs between ranks")
	}
	switch {
	case f.Kind != FormBucket:
	case f.Lengths != nil:
		f.validateLong(s, bad)
	default:
		f.validateField(s, bad)
	}
}

// validateNumbers adds the problems of values that are wrong for any form.
func (f Form) validateNumbers(bad *invalid.Options) {
	notNegative(bad, "Form.Multiple", f.Multiple)
	notNegative(bad, "Form.Pixels", f.Pixels)
	notNegative(bad, "Form.Tokens", f.Tokens)
	notNegative(bad, "Form.ClipFrames", f.ClipFrames)
	notNegative(bad, "Form.AudioSamples", f.AudioSamples)
	notNegative(bad, "Form.Patch", f.Patch)
	notNegative(bad, "Form.Merge", f.Merge)
	notNegative(bad, "Form.Frames", f.Frames)
	notNegative(bad, "Form.Memory", f.Memory)
	if math.IsNaN(f.Fill) || math.IsInf(f.Fill, 0) {
		bad.Value("Form.Fill", f.Fill, "must be a number")
	}
	for _, b := range f.Buckets {
		if b.Width < 1 || b.Height < 1 {
			bad.Value("Form.Buckets", b, "sides must be positive")
		}
	}
	for i, n := range f.Lengths {
		if n < 1 || i > 0 && n <= f.Lengths[i-1] {
			bad.Value("Form.Lengths", f.Lengths, "must be positive and ascending")
			break
		}
	}
}

// validateUse adds values that the form does not use.
func (f Form) validateUse(bad *invalid.Options) {
	patches, padded := f.Kind == FormPatches, f.Kind == FormPad || f.Kind == FormBudget && !f.Ragged
	for _, x := range []struct {
		name string
		set  bool
		used bool
		by   string
	}{
		{"Form.Multiple", f.Multiple != 0, padded || f.Kind == FormBucket && len(f.Buckets) == 0 && f.Lengths == nil,
			"pad, bucket or budget"},
		{"Form.Fill", f.Fill != 0, padded, "pad or budget"},
		{"Form.Buckets", len(f.Buckets) > 0, f.Kind == FormBucket, "bucket"},
		{"Form.Lengths", f.Lengths != nil, f.Kind == FormBucket && len(f.Buckets) == 0, "bucket"},
		{"Form.ClipFrames", f.ClipFrames != 0, f.Kind == FormBudget, "budget"},
		{"Form.AudioSamples", f.AudioSamples != 0, f.Kind == FormBudget, "budget"},
		{"Form.Field", f.Field != "", f.Kind == FormBucket, "bucket"},
		{"Form.Pixels", f.Pixels != 0, f.Kind == FormBudget, "budget"},
		{"Form.Tokens", f.Tokens != 0, f.Kind == FormBudget || patches, "budget or patches"},
		{"Form.Patch", f.Patch != 0, f.Tokens != 0 || patches, ""},
		{"Form.Merge", f.Merge != 0, patches, "patches"},
		{"Form.Frames", f.Frames != 0, patches, "patches"},
		{"Form.Ragged", f.Ragged, f.Kind == FormBudget, "budget"},
		{"Form.Memory", f.Memory != 0, f.sized(), "pad, ragged, budget or patches"},
	} {
		switch {
		case !x.set || x.used:
		case x.by == "":
			bad.Needs(invalid.Named(x.name), invalid.Named("Form.Tokens"), "")
		default:
			bad.Needs(invalid.Named(x.name), invalid.With("Form.Kind", x.by), "")
		}
	}
	given := 0
	for _, n := range []int{f.Pixels, f.Tokens, f.ClipFrames, f.AudioSamples} {
		given += min(max(n, 0), 1)
	}
	if f.Kind == FormBudget && given != 1 {
		bad.Needs(invalid.With("Form.Kind", f.Kind), invalid.Named("Form.Pixels", "Form.Tokens", "Form.ClipFrames",
			"Form.AudioSamples"),
			"one of them")
	}
}

// padding returns the bytes of one element of padding, by array.
func (f Form) padding(p *record.Plan) [][]byte {
	fill := make([][]byte, len(p.Arrays()))
	for a := range fill {
		fill[a] = p.Padding(a)
	}
	for _, a := range p.Images() {
		fill[a] = element(p.Arrays()[a].Sample.DType, f.Fill)
	}
	return fill
}
