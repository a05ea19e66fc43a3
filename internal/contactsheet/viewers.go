package contactsheet

import (
	"bytes"
	"context"
	"image"
	"image/png"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/record"
)

// Viewers draws contact sheets of the batches of a run for viewers who ask for one. Without a viewer, a batch costs
// nothing. A nil Viewers has no viewers.
type Viewers struct {
	schema record.Schema // of records; else nil
	wanted chan chan<- image.Image
}

// NewViewers returns viewers of batches, which have a schema if they are of records.
func NewViewers(schema record.Schema) *Viewers {
	return &Viewers{schema: schema, wanted: make(chan chan<- image.Image)}
}

// Add draws a batch if a viewer waits for one. The batch is borrowed.
func (v *Viewers) Add(b *batch.Batch) {
	if v == nil {
		return
	}
	select {
	case viewer := <-v.wanted:
		img, _ := Of(b, v.schema)
		viewer <- img // has room
	default:
	}
}

// Next returns the sheet of the next batch as PNG; nil if ctx ends before, or if the batch cannot be drawn.
func (v *Viewers) Next(ctx context.Context) []byte {
	drawn := make(chan image.Image, 1)
	select {
	case v.wanted <- drawn:
	case <-ctx.Done():
		return nil
	}
	select {
	case img := <-drawn:
		var out bytes.Buffer
		encoder := png.Encoder{CompressionLevel: png.BestSpeed}
		if img == nil || encoder.Encode(&out, img) != nil {
			return nil
		}
		return out.Bytes()
	case <-ctx.Done():
		return nil
	}
}
