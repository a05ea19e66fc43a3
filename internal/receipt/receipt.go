// Package receipt has the receipts of batches: what was in them, and how to make them again.
package receipt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/jsonname"
	"github.com/spoolmedia/spool/loader"
)

// Row is the receipt of one sample in a batch: a line of the file, with these keys.
type Row struct {
	Batch      int32         `json:"batch"` // of the run, from 0
	Epoch      int32         `json:"epoch"`
	Index      int32         `json:"index"` // of the batch in its epoch
	Slot       int32         `json:"slot"`
	ID         int64         `json:"id"`
	Name       jsonname.Name `json:"name"`
	Key        string        `json:"key,omitempty"`
	Label      int64         `json:"label"`
	Place      int64         `json:"place"`
	Occurrence int32         `json:"occurrence,omitempty"`
	Padding    bool          `json:"padding,omitempty"`
	State      int32         `json:"state,omitempty"` // a batch.SlotState

	// The crop.
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	FlipX  bool    `json:"flip_x,omitempty"`
	FlipY  bool    `json:"flip_y,omitempty"`

	Digest string `json:"sha256,omitempty"` // of the sample's bytes
	// Before is the loader's state before the batch; only in slot 0.
	Before *loader.State `json:"before,omitempty"`
}

// rows returns the receipt of a batch, without its number and the state before it.
func rows(b *batch.Batch, digests bool) []Row {
	all := make([]Row, b.Len())
	for i := range b.Samples {
		s := &b.Samples[i]
		all[i] = Row{Epoch: int32(b.Epoch), Index: int32(b.Index), Slot: int32(i), ID: s.ID,
			Name: jsonname.Name(s.Name), Key: s.Key, Label: s.Label, Place: int64(s.Place), Occurrence: int32(s.Occurrence),
			Padding: s.Padding, State: int32(s.State), Left: s.Crop.Left, Top: s.Crop.Top, Width: s.Crop.Width,
			Height: s.Crop.Height, FlipX: s.Crop.FlipX, FlipY: s.Crop.FlipY}
		if digests {
			all[i].Digest = digest(b, i)
		}
	}
	return all
}

// digest returns the SHA-256 of a sample: its shape and bytes in each array, and then its values.
func digest(b *batch.Batch, i int) string {
	h := sha256.New()
	add := func(shape []int, data []byte) {
		var word [8]byte
		for _, side := range append([]int{len(shape)}, shape...) {
			binary.LittleEndian.PutUint64(word[:], uint64(side))
			h.Write(word[:])
		}
		h.Write(data)
	}
	for f := range b.Fields() {
		add(b.SampleDesc(f, i).Shape, b.SampleBytes(f, i))
	}
	for _, v := range b.Samples[i].Values {
		add(v.Desc.Shape, v.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Receipt is the receipt of one batch in a file.
type Receipt struct {
	header
	Rows []Row
}

// header is the first line of a file.
type header struct {
	Arguments []string `json:"arguments"` // of the run's command line, without passwords
	Version   string   `json:"version"`   // of spool and its libraries
}

// WithoutDigests has Differences leave out the digests: for batches whose memory is on a device.
func (r *Receipt) WithoutDigests() {
	for i := range r.Rows {
		r.Rows[i].Digest = ""
	}
}

// Differences compares a batch that was made again with its receipt. It returns a line for each sample that differs.
func (r *Receipt) Differences(b *batch.Batch) (lines []string) {
	now := rows(b, r.Rows[0].Digest != "")
	for i := range max(len(now), len(r.Rows)) {
		switch {
		case i >= len(now):
			lines = append(lines, fmt.Sprintf("slot %d: %s is missing", i, r.Rows[i].Name))
		case i >= len(r.Rows):
			lines = append(lines, fmt.Sprintf("slot %d: %s is new", i, now[i].Name))
		default:
			if what := r.Rows[i].difference(&now[i]); what != "" {
				lines = append(lines, fmt.Sprintf("slot %d: %s", i, what))
			}
		}
	}
	return lines
}

// difference says how a row differs from the same row now; empty if it does not.
func (r *Row) difference(now *Row) string {
	type view struct {
		left, top, width, height float64
		flipX, flipY             bool
	}
	switch {
	case r.Name != now.Name || r.ID != now.ID:
		return fmt.Sprintf("%s (%d) was here, and now %s (%d)", r.Name, r.ID, now.Name, now.ID)
	case r.State != now.State:
		return fmt.Sprintf("%s: its state was %d, and is now %d", r.Name, r.State, now.State)
	case r.Label != now.Label:
		return fmt.Sprintf("%s: its label was %d, and is now %d", r.Name, r.Label, now.Label)
	case view{r.Left, r.Top, r.Width, r.Height, r.FlipX, r.FlipY} !=
		view{now.Left, now.Top, now.Width, now.Height, now.FlipX, now.FlipY}:
		return string(r.Name) + ": another area of it is shown: its size or the run's options have changed"
	case r.Digest != now.Digest:
		return fmt.Sprintf("%s: its bytes have the SHA-256 %s, and had %s: the file or the decoder has changed", r.Name,
			now.Digest, r.Digest)
	}
	return ""
}
