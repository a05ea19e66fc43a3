package loader

import (
	"context"
	"iter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
)

// medium is what the road has to know of what it loads; all else is the same for pictures, video and sound. Its
// methods are called from several goroutines at a time.
type medium interface {
	// sample describes what fills a slot. It is false where each file is a batch of its own, whose size nobody knows
	// before it is decoded.
	sample() (spool.Desc, bool)
	// whole says whether a file of so many bytes is read before it is decoded. The decoder reads what it needs of others.
	whole(size int64) bool
	// decode writes the item's sample into its slot, or makes it the item's part, and notes what there is to say of it.
	decode(ctx context.Context, d *decode.Decoder, it *item) error
	// blank fills a slot with what stands for a bad sample.
	blank(ctx context.Context, d *decode.Decoder, slot []byte) error
}

// parted is a medium whose files are several batches each.
type parted interface {
	medium
	// parts gives the parts of the item's file in their order, each owned by whoever takes it. An error comes last.
	parts(ctx context.Context, d *decode.Decoder, it *item) iter.Seq2[*item, error]
}

// readWhole is how large a file of video or sound may be that is read while others are decoded, which is what small
// files gain most by. Of a larger one, only what its decoder asks for is read.
const readWhole = 8 << 20
