package loader

import (
	"context"
	"iter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
)

// medium is what the road has to know of what it loads; all else is the same for pictures, video and sound. Its
// functions are called from several goroutines at a time.
type medium struct {
	// slots says that samples have one size, that of sample. Else nobody knows a file's size before it is decoded, and
	// each is a batch of its own, or several.
	slots  bool
	sample spool.Desc

	// recipe is all that decides what a file's sample is: a cache serves loaders with equal ones.
	recipe any

	// whole is how large a file may be that is read before it is decoded. The decoder reads what it needs of others.
	whole int64

	// begin, if not nil, is called for files that lie far away and are larger than that, or than farWhole: it fetches of the file what
	// decode will need, and keeps to so many bytes.
	begin func(ctx context.Context, d *decode.Decoder, it *item, hold int64) error

	// fetchers is how many files of this machine are opened, and read, at a time to begin with: a few keep the
	// decoders fed while one waits for the disk. ahead is how many decoded samples may wait for a slow one in front
	// of them, for so many workers.
	fetchers int
	ahead    func(workers int) int

	// jpeg is what decodes JPEG pictures.
	jpeg decode.JPEGEngine

	// decode writes the item's sample into its slot, or makes it the item's part, and notes what there is to say of it.
	decode func(ctx context.Context, d *decode.Decoder, it *item) error
	// parts, in place of decode, gives the parts of the item's file in their order. An error comes last.
	parts func(ctx context.Context, d *decode.Decoder, it *item) iter.Seq2[*item, error]
	// blank fills a slot with what stands for a bad sample.
	blank func(ctx context.Context, d *decode.Decoder, slot []byte) error
}

// farWhole is how large a file far away may be that is read whole where parts of it may do: to find out which takes round trips.
const farWhole = 1 << 20

// farHold is the most bytes that are held of a file far away that is read in parts.
const farHold = 16 << 20

// readWhole is medium.whole of video and sound: small files gain by being read while others are decoded, and of
// large ones much may never be needed.
const readWhole = 8 << 20
