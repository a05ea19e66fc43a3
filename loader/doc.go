// Package loader provides complete pipelines from a source of files to batches of decoded samples.
//
//	src, err := source.Folder(ctx, "photos", source.Options{})
//	...
//	size := resize.Spec{Width: 224, Height: 224}
//	ld, err := loader.Images(src, loader.ImageOptions{Spec: image.Spec{Resize: size}})
//	...
//	defer ld.Close()
//	for b, err := range ld.Batches(ctx) {
//		if err != nil {
//			return err // it comes once, and last
//		}
//		train(b.Bytes(), b.Labels())
//		b.Release()
//	}
//
// [Images], [Videos], [Audio] and [Records] build the same pipeline with different decoders. A video sample is a clip
// with a fixed number of frames, in one slot. Audio of a fixed length is trimmed or padded with silence, and
// batch.Sample.Length is the length before the padding. Samples without a fixed size have no slots: all frames of a
// video, or all audio of a file. They come in batches of one sample, whose size varies. A sample of Records has several
// fields, such as an image with its mask and its boxes, or a clip with its audio. Its [Form] makes batches of samples
// of different sizes. [Windows] makes a sample of each window of the videos of a source. [Options] are the settings
// that all of them share.
//
// # Stages
//
//   - list names the samples in order.
//   - locate opens each sample and finds its size.
//   - open reserves memory for its bytes, within Fetching.Memory.
//   - fetch reads them, or the ranges of a remote video that a clip needs. The decoder reads other large files of video
//     and audio itself, in the ranges that it needs.
//   - measure, of records whose samples have no common size, finds the size of a sample without decoding it.
//   - slot assigns a slot of a batch, or memory for one sample.
//   - decode writes to the slot.
//   - batch collates.
//
// Each stage is bounded, so a consumer that stops reading stops all stages. Report shows what each stage did and which
// one is the bottleneck.
//
// Many workers locate, fetch and decode. One worker reserves memory and one assigns slots, both in order and without
// waiting for I/O. So samples cannot deadlock by waiting for each other's memory. A sample whose bytes have not arrived
// has no slot of a batch.
//
// For local files, a few workers locate and read at first, and more are added while they raise the throughput. If the
// source reports that it is remote (see source.Source), samples take one or two network round trips each, and hundreds
// of them are in flight. Each object says for itself whether it is remote (spool.ObjectInfo.Remote): only then are
// ranges of a video fetched in place of the whole file.
//
// # Order
//
// By default, batches are those of the list of good samples in input order, with the same bytes for any number of
// workers. With batch.Any, no sample waits for a slow one, and each sample still comes once per epoch.
//
// A source.Streamed is listed while it is loaded. Its samples come in its order, once, and the loader has no length.
//
// # Training
//
// ImageOptions.Augment draws a random crop and random flips for each image, once its size is known and before it is
// decoded. So pixels outside the crop are not decoded. ImageOptions.Ops change the pixels of the result: color jitter,
// blur, random erasing, RandAugment and others (package augment). VideoOptions and fields of records have both, drawn
// once for a clip. The random numbers depend only on (Seed, epoch, sample id), on the occurrence of a sample that comes
// several times in an epoch, and on the view of a record. So do random clips and windows of audio. They are the same
// for any number of workers, in any order, and for a resumed run. batch.Sample.Crop has crop and flips, for example to
// transform boxes or key points. Records transform theirs themselves.
//
//	for i, s := range b.Samples {
//		x, y := s.Crop.Map(nose[s.ID].X, nose[s.ID].Y, 224, 224) // its position in b.Slot(i), unless it is outside
//		...
//	}
//
// Crop is also set without augmentation. It is zero for audio.
//
// # Custom samples
//
// [DataLoader] loads samples of any type from a [Dataset], with the options of PyTorch's DataLoader. It does not depend
// on media or slots.
//
// # Loading less
//
// A [Cache] keeps decoded samples in memory for later epochs and loaders, and Caches.Disk on a disk for later runs and
// other processes. [Loader.Headspace] repeats a few batches instead of loading, which shows the most that a training
// loop could gain from faster loading.
//
// # Bad samples
//
// A sample that cannot be read or decoded is recorded in the ledger and skipped, and the next sample takes its slot.
// See [Policy] for alternatives. A bad sample never makes a batch smaller. A panic while a sample is processed is a
// failure of that sample. The end of the context is not a failure, and the ledger does not record it.
//
// # Ownership
//
// The loop's body owns each batch and calls Release on it, in any order and also later. It may hold one batch while
// Prefetch others wait for it: memory is reserved for these. If it holds more, it may wait for memory that only it can
// release; batch.Batch.Exempt lifts that limit for a batch. Breaking out of the loop stops all work and waits until it
// has stopped.
package loader
