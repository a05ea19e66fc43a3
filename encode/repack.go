package encode

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/internal/invalid"
)

// RepackOptions are the options of RepackJPEG.
type RepackOptions struct {
	// RestartRows puts a restart marker after so many rows of blocks, of 8 to 32 rows of pixels each. The file grows by
	// about a percent, and a decoder can begin there: a crop near the end decodes sooner. 0: no markers.
	RestartRows int
	// MaxMemory limits the memory for coefficients, 2 to 6 bytes a pixel. 0: 2 GiB; below 0: no limit.
	MaxMemory int64
}

// RepackJPEG codes a JPEG file anew without any loss: the coefficients, and so the pixels of every decoder, are the
// same, and so are all markers. Huffman tables are optimized for the image, which makes most files some percent
// smaller. A progressive file stays progressive. Without RestartRows, a file that would not be smaller is returned as
// it is: data itself.
//
//	Ownership:    data are lent; the caller owns the file, unless it is data.
//	Cancellation: while the file is read, within some rows.
//	Errors:       ErrOptions; ErrNotMedia, ErrTruncated, ErrCorrupt, ErrTooLarge and ErrUnsupported for files that cannot
//	              be repacked whole: damaged ones, progressive ones without all scans, and those with bytes after the
//	              image; ErrCanceled and ErrTimeout.
//	Concurrency:  safe; uses one OS thread for the duration of the call.
//	Cost:         a pixel takes some 10 ns.
func RepackJPEG(ctx context.Context, data []byte, o RepackOptions) ([]byte, error) {
	if o.RestartRows < 0 {
		var bad invalid.Options
		bad.Value("RestartRows", o.RestartRows, "must not be negative")
		return nil, bad.Err()
	}
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return nil, &spool.Error{Op: "repack", Class: spool.ClassOf(err), Err: err}
	}
	defer c.Leave()
	file, err := jpeg.Repack(c, data, jpeg.RepackOptions{RestartRows: o.RestartRows, MaxMemory: o.MaxMemory})
	if err == nil && o.RestartRows == 0 && len(file) >= len(data) {
		file = data
	}
	return file, err
}
