package loader

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/ondevice"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// VideoOptions are the settings of a loader of video.
type VideoOptions struct {
	// Spec is the output for each frame. For clips it must fix the size, because all samples of a batch have one shape.
	Spec video.Spec
	// Open chooses the stream of a file and how it is decoded.
	Open video.OpenOptions
	// Augment draws a crop and flips once for each clip and epoch, from Seed: all frames of a clip have the same crop.
	Augment resize.Augment
	// Ops change the pixels of each clip, after the resize and before Spec.Mean and Std. Their values are drawn once for
	// each clip and epoch, from Seed.
	Ops augment.Ops

	// Frames is the number of frames of a clip. 0 means 16. They are spread evenly over the file, or over the sample's
	// segment of it (source.Segmented): see [index.Even].
	Frames int
	// Random instead draws the position of the first frame for each sample and epoch, from Seed. Frames are then Stride
	// frames apart. The last frame is repeated at the file's end. Stride 0 means 1.
	Random bool
	Stride int
	// Every, if not 0, loads all frames of each file instead of a clip. Each batch is then one sample of up to Every
	// frames of one file, and Batch and Last have no effect. The batches of a file come in order. With several workers,
	// batches of other files come between them.
	Every int

	// OnDevice, if not nil, has NVDEC decode clips, and the device convert, crop, resize and mirror their frames. The
	// clips come back to host memory, and batches are as without it. The pixels of 8-bit frames of even height are those
	// of the host; those of others are close. The host decodes what the device declines, and frames with damage; damage
	// that NVDEC does not notice is not reported. Each worker has a decoder of the device. Spec must be of uint8, HWC and
	// RGB, in one size and without padding. It excludes Every.
	OnDevice *video.DeviceOptions

	Options
}

// Validate reports all invalid options, each as a *spool.OptionError.
func (o VideoOptions) Validate() error {
	var bad invalid.Options
	spec := o.Spec
	if len(o.Ops) > 0 {
		spec.Adjust = o.Ops.Steps(order.Draw{}) // the spec has what steps exclude
	}
	if err := spec.Validate(); err != nil {
		bad.Add(err)
	} else if _, fixed := o.Spec.Sample(1); !fixed && o.Every == 0 {
		needsSize(&bad, o.Spec.Resize)
	}
	bad.Add(o.Open.Validate())
	bad.Add(o.Augment.Validate(o.Spec.Resize))
	bad.Add(o.Ops.Validate())
	placesCrops(&bad, o.Augment, o.Spec.Crops)
	drawn := drawing(&bad, o.augments(), o.Spec.Draw != nil, o.Ops, o.Spec.Adjust != nil)
	notNegative(&bad, "Frames", o.Frames)
	notNegative(&bad, "Stride", o.Stride)
	notNegative(&bad, "Every", o.Every)
	if o.Every > 0 {
		o.validateEvery(&bad)
	}
	if o.OnDevice != nil {
		ondevice.ValidateClips(&bad, spec)
	}
	if o.Stride > 0 && !o.Random {
		bad.Needs(invalid.Named("Stride"), invalid.Named("Random"), "other clips are spread over the file")
	}
	if o.Random {
		drawn = append(drawn, "Random")
	}
	o.Options.validate(&bad, drawn...)
	return bad.Err()
}

// validateEvery adds what Every excludes.
func (o VideoOptions) validateEvery(bad *invalid.Options) {
	every := invalid.Named("Every")
	if o.Frames > 0 || o.Random || o.Stride > 0 {
		bad.Excludes(every, invalid.Named("Frames", "Random", "Stride"), "it loads all frames")
	}
	if o.Spec.Crops != resize.OneCrop {
		bad.Excludes(every, invalid.With("Spec.Crops", o.Spec.Crops), "they are of a clip")
	}
	if o.OnError == Placeholder {
		bad.Excludes(every, invalid.With("OnError", "Placeholder"), "a file has no size for one")
	}
	if o.OnDevice != nil {
		bad.Excludes(every, invalid.Named("OnDevice"), "a device decodes clips")
	}
	if caches := o.caches(); len(caches) > 0 {
		bad.Excludes(every, caches, "cached samples have one size")
	}
}

// augments reports whether samples are augmented.
func (o VideoOptions) augments() bool { return o.Augment != resize.Augment{} }

// Videos returns a loader of video: of clips of Frames frames, or of all frames with Every. The source is lent until
// Close. Videos reads nothing: Batches does. A file of up to 8 MiB is read whole while others are decoded; of a larger
// file, and of a segment of a local file, the decoder reads the ranges that it needs. Local files of which samples are
// segments stay open for later ones, within the limits of record.OpenFilesOptions. For clips of remote files larger
// than 1 MiB, only the ranges that the clip needs are fetched, into up to 16 MiB of Fetching.Memory, and Open.Memory is
// not used. Errors are ErrOptions with all invalid options, or ErrEmpty for a source without samples.
func Videos(src source.Source, o VideoOptions) (*Loader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	// clips are large: few wait for the next
	m := mediumSpec{whole: decoders.ReadWhole, fetchers: 2, ahead: func(workers int) int { return 2 * workers }}
	kept, err := record.NewOpenFiles(record.OpenFilesOptions{})
	if err != nil {
		return nil, err
	}
	m.close = kept.Close
	if o.Every > 0 {
		m.chunks = (&videos{VideoOptions: o, kept: kept}).chunks
	} else {
		o.Frames = cmp.Or(o.Frames, 16)
		v := &videos{VideoOptions: o, kept: kept}
		m.slots, m.fetchRanges, m.decode, m.blank = true, v.fetchRanges, v.decode, v.blank
		m.sample, _ = o.Spec.Sample(o.Frames)
		open := o.Open
		open.Memory = nil
		m.recipe = []any{o.Spec, open, o.Frames, o.OnDevice != nil}
		if o.OnDevice != nil {
			m.open, m.close = v.openDevice, v.close
		}
	}
	return load(src, o.Options, m)
}

// videos decodes samples of video.
type videos struct {
	VideoOptions
	kept   *record.OpenFiles // local files with many segments
	device *ondevice.Clips   // nil: the host decodes
}

// openDevice opens the device.
func (o *videos) openDevice(*decoders.Set) (counts func() device.Counts, err error) {
	if o.device, err = ondevice.NewClips(*o.OnDevice); err != nil {
		return nil, err
	}
	return o.device.Counts, nil
}

// close closes the kept files and the device.
func (o *videos) close() error {
	err := o.kept.Close()
	if o.device != nil {
		err = errors.Join(err, o.device.Close())
	}
	return err
}

// open opens the item's file, and returns the spec with the sample's random geometry. The caller returns the video.
func (o *videos) open(ctx context.Context, d *decoders.Set, it *item) (*record.OpenVideo, video.Spec, error) {
	spec := o.Spec
	if o.augments() {
		spec.Draw = o.Augment.Drawing(o.Spec.Resize, it.drawn(o.Seed, it.sample.ID))
	}
	if len(o.Ops) > 0 {
		spec.Adjust = o.Ops.Steps(it.drawn(o.Seed, it.sample.ID))
	}
	open := o.Open
	if it.memory != nil {
		open.Memory = it.memory
	}
	open.Workers = max(open.Workers, 1) // other workers decode other clips
	if it.segment != nil && it.segment.Stream != nil {
		open.Stream, open.Language = it.segment.Stream, ""
	}
	kept, in := o.kept, &it.inputs[0]
	if it.segment == nil || in.read || it.memory != nil { // in memory that is the item's
		kept = nil
	}
	object := it.input()
	in.object = nil // the video has it
	v, err := kept.Video(ctx, d.Videos, object, open)
	return v, spec, err
}

// clip is an open video with the frames to decode.
type clip struct {
	video  *record.OpenVideo
	spec   video.Spec
	frames []int
}

// clip opens the item's file and chooses the frames of its clip. The caller owns the video.
func (o *videos) clip(ctx context.Context, d *decoders.Set, it *item) (*clip, error) {
	v, spec, err := o.open(ctx, d, it)
	if err != nil {
		return nil, err
	}
	first, n, err := it.window(v.Video)
	if err != nil {
		return nil, errors.Join(err, v.Return(nil))
	}
	k := &clip{v, spec, index.Even(n, o.Frames)}
	if o.Random {
		draws := it.drawn(o.Seed, it.sample.ID).Rand(order.OpClip)
		if k.frames, err = (index.Clips{Frames: o.Frames, Stride: o.Stride}).Random(n, &draws); err != nil {
			return nil, errors.Join(err, v.Return(nil))
		}
	}
	for i := range k.frames {
		k.frames[i] += first
	}
	return k, nil
}

// window returns the frames of an item's segment: n frames from first on.
func (it *item) window(v *video.Video) (first, n int, err error) {
	if it.segment == nil {
		return 0, v.Len(), nil
	}
	if v.Index() == nil {
		return 0, 0, &spool.Error{Op: "decode", File: it.sample.Name, Class: spool.ErrUnsupported,
			Text: "a stream has no segments"}
	}
	first, n, err = v.Index().Segment(it.segment.Start, it.segment.End, index.Slack)
	return first, n, spool.InFile(err, it.sample.Name)
}

// fetchRanges fetches the packets of a clip.
func (o *videos) fetchRanges(ctx context.Context, d *decoders.Set, it *item) (err error) {
	if it.clip, err = o.clip(ctx, d, it); err != nil {
		return err
	}
	return it.clip.video.Expect(ctx, it.clip.frames)
}

// decode writes a clip to its slot.
func (o *videos) decode(ctx context.Context, d *decoders.Set, it *item) (err error) {
	k := it.clip
	it.clip = nil
	if k == nil {
		if k, err = o.clip(ctx, d, it); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, k.video.Return(err)) }()
	if o.device != nil {
		report, ok, err := o.device.Decode(ctx, k.video.Video, k.frames, &k.spec, it.slot.Bytes())
		if err == nil && ok {
			note(&it.sample, report)
		}
		if err != nil || ok {
			return err
		}
	}
	report, err := k.video.FramesInto(ctx, it.slot.Bytes(), k.frames, k.spec)
	if err != nil {
		return err
	}
	note(&it.sample, report)
	return nil
}

// blank fills a slot with Spec.Fill.
func (o *videos) blank(ctx context.Context, d *decoders.Set, it *item) error {
	return decoders.Blank(ctx, d.Images, it.slot.Bytes(), o.Frames*o.Spec.Crops.Len(), o.Spec)
}

// chunks yields all frames of a file, Every at a time.
func (o *videos) chunks(ctx context.Context, d *decoders.Set, it *item) iter.Seq2[*item, error] {
	return func(yield func(*item, error) bool) {
		v, spec, err := o.open(ctx, d, it)
		if err != nil {
			yield(nil, err)
			return
		}
		var done error = spool.ErrCanceled    // until all frames were decoded
		defer func() { _ = v.Return(done) }() // never fails
		chunks, last := v.Chunks(ctx, o.Every, spec), v.Len()
		if it.segment != nil {
			first, n, err := it.window(v.Video)
			if err != nil {
				yield(nil, err)
				return
			}
			chunks, last = v.ChunksOf(ctx, first, first+n, o.Every, spec), first+n
		}
		for clip, err := range chunks {
			if err != nil {
				yield(nil, err)
				return
			}
			chunk := &item{pick: it.pick, sample: it.sample, buffer: clip.Buffer}
			note(&chunk.sample, clip.Report)
			chunk.sample.More = clip.Frames[len(clip.Frames)-1].Index+1 < last
			if !yield(chunk, nil) {
				return
			}
		}
		done = nil
	}
}

// note copies a clip's report to its sample.
func note(s *batch.Sample, r video.Report) {
	s.Frames = make([]batch.Frame, len(r.Frames))
	for i, f := range r.Frames {
		s.Frames[i] = batch.Frame{Index: f.Index, PTS: f.PTS, Duration: f.Duration}
		if f.State != video.Whole {
			s.Frames[i].State, s.State = batch.Damaged, batch.Damaged
		}
	}
	s.Crop = crop(r.Region, r.FlipX, r.FlipY)
	if s.Warnings = len(r.Damage); s.Warnings > 0 {
		s.Warning = r.Damage[0].Text
	}
}
