// Package loader is the whole road, composed: from a source of files to batches of decoded samples.
//
//	src, err := source.Folder(ctx, "photos", source.Options{})
//	...
//	size := resize.Spec{Width: 224, Height: 224}
//	ld, err := loader.Images(src, loader.ImageOptions{Spec: decode.ImageSpec{Resize: size}})
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
// [Images], [Videos] and [Audio] make the same road with another decoder in it. A clip of video is a sample of so many
// frames, in one slot; sound of a set length is cut or followed by silence, and batch.Sample.Length says where it ends.
// What has no set size has no slots either: every frame of a video, or a sound as long as it is, comes in batches
// of one sample, that are as large as they are. The settings that they share are [Options].
//
// # Stages
//
// list names the samples in order; locate opens each and finds its size; open takes memory for its bytes, within
// Options.Ahead; fetch reads, but of a large video or sound the decoder reads what it needs; slot takes its place in a
// batch; decode writes there; batch gathers. Each stage is bounded, so a consumer that stops reading stops everything.
// Report says what each stage did and which one limits.
//
// Many workers locate, fetch and decode. One takes memory and one takes slots, in order and without waiting for I/O, so
// that samples never wait for each other's memory in a circle. A sample that has not come holds no part of a batch.
//
// Files of this machine are located and read by a few workers to begin with, and by more as long as these bring more.
// Samples of a source that has a method Remote() bool, and says that it is, take a round trip of a network each, or
// two: of them hundreds are on their way at a time.
//
// # Order
//
// By default batches are those of the list of good samples in input order, the same bytes for any
// number of workers. With batch.Any nobody waits for a slow sample; each still comes once an epoch.
//
// A source.Streamed is listed while it is loaded: its samples come in its order, once, and the loader has no length.
//
// # Training
//
// ImageOptions.Augment draws a part of each picture and whether it is mirrored, when the picture's size is
// known and before it is decoded, so that nothing is decoded that no batch will show. What is drawn is a
// function of (Seed, epoch, sample id), and so is where a random clip or window of sound begins: the same for any
// number of workers, in any order, and for a run that goes on where another one ended. batch.Sample.View tells it to
// whoever has boxes or key points to move:
//
//	for i, s := range b.Samples {
//		x, y := s.View.Map(nose[s.ID].X, nose[s.ID].Y, 224, 224) // where it lies in b.Slot(i), if it does
//		...
//	}
//
// Without augmentation, too, View says which part of the picture a slot shows. Colours are not augmented (no
// jitter, no random grayscale): torchvision's jitter is four operations in random order, which would need
// passes of their own.
//
// # Samples of one's own
//
// [DataLoader] is for samples of any kind that a [Dataset] gives one by one, with the options of PyTorch's: it knows
// nothing of media or slots.
//
// # Loading less
//
// A [Cache] keeps decoded samples over epochs and loaders. Options.Headspace replays a few batches in place of loading: what
// a training loop would win at most by faster loading.
//
// # Bad samples
//
// A sample that cannot be read or decoded goes to the ledger, is skipped, and the next one takes its
// slot; see [Policy] for the alternatives. A batch never shrinks because of it. A panic on the way of
// a sample is its failure. The end of the context is nobody's: it leaves no trace in the ledger.
//
// # Ownership
//
// The loop's body owns each batch and calls Release on it, in any order and also later. It may hold
// Prefetch + 1 batches at a time; memory is reserved for so many, and who keeps more of them waits for
// memory that only it can give back. Breaking out of the loop stops everything and waits for it.
package loader
