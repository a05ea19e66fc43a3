package run

import (
	"bytes"
	"context"
	"image"
	"image/png"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/record"
)

// viewing draws contact sheets of the batches of a run for viewers who ask for one. Without a viewer, a batch costs
// nothing.
type viewing struct {
	schema record.Schema // of records; else nil
	wanted chan chan<- image.Image
}

func newViewing(schema record.Schema) *viewing {
	return &viewing{schema: schema, wanted: make(chan chan<- image.Image)}
}

// add draws a batch if a viewer waits for one.
func (v *viewing) add(b *batch.Batch) {
	if v == nil {
		return
	}
	select {
	case viewer := <-v.wanted:
		img, _ := picture(b, v.schema)
		viewer <- img // has room
	default:
	}
}

// next returns the sheet of the next batch as PNG; nil if ctx ends before, or if the batch cannot be drawn.
func (v *viewing) next(ctx context.Context) []byte {
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
