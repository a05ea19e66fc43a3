package codec

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/flac"
)

// ownFLAC decodes all frames of a FLAC file with our engine only, and does not convert its samples.
func ownFLAC(_ context.Context, path string) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	left := func(reason flac.Reason) error {
		return &spool.Error{Op: "bench", File: path, Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("left to FFmpeg: %v", reason)}
	}
	h, reason, err := flac.ReadHeader(func(offset int64, _ int) ([]byte, error) {
		return file[min(offset, int64(len(file))):], nil
	})
	if err != nil {
		return err
	}
	if reason != flac.Decoded {
		return left(reason)
	}
	d, err := flac.New(h)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }() // never fails
	var first int64
	for data := file[h.Start:]; len(data) > 0; {
		f, reason := d.Decode(data, first)
		if reason != flac.Decoded {
			return left(reason)
		}
		data, first = data[f.Bytes:], first+int64(f.Samples)
	}
	return nil
}
