package tally

import (
	"fmt"

	"github.com/spoolmedia/spool/batch"
)

// Waste is the padding of images in batches.
type Waste struct {
	batch.Waste
	Share float64 `json:"share"` // of padding, from 0 to 1
}

// wasteOf returns the padding, or nil without any.
func wasteOf(w batch.Waste) *Waste {
	if w.Padding == 0 {
		return nil
	}
	return &Waste{Waste: w, Share: w.Share()}
}

// String is a summary in one line.
func (w *Waste) String() string {
	return fmt.Sprintf("%.1f%% of the pixels of batches are padding", 100*w.Share)
}
