package run

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/contactsheet"
	"github.com/spoolmedia/spool/record"
)

// sheet is a contact sheet of a run's first batch: its images in a grid, or its clips, one per row, with ids and labels
// below. If the file is a video, it contains the clips one after the other.
type sheet struct {
	ctx    context.Context // of the run
	schema record.Schema   // of records; else nil
	video  string          // the video's name
	file   *output.File    // of an image; nil if none is wanted
	saved  chan error      // receives the result of writing; nil before the first batch
}

// newSheet creates the file. Without a name nothing is drawn.
func newSheet(ctx context.Context, name string) (*sheet, error) {
	switch {
	case name == "":
		return &sheet{}, nil
	case isVideo(name):
		return &sheet{ctx: ctx, video: name}, nil
	}
	file, err := output.Create(name)
	if err != nil {
		return nil, err
	}
	return &sheet{file: file}, nil
}

// isVideo reports whether a name is that of a video.
func isVideo(name string) bool {
	return slices.Contains([]string{".mp4", ".mkv", ".mov", ".webm"}, strings.ToLower(filepath.Ext(name)))
}

// add draws the first batch that it gets. The file is written while the run continues: compressing it takes as long as
// loading many batches.
func (s *sheet) add(b *batch.Batch) {
	if s.file == nil && s.video == "" || s.saved != nil {
		return
	}
	s.saved = make(chan error, 1)
	if s.video != "" {
		d, pixels := b.Desc(), bytes.Clone(b.Bytes()[:len(b.Slot(0))*min(b.Len(), max(1, videoMost/len(b.Slot(0))))])
		go func() { s.saved <- writeVideo(s.ctx, s.video, pixels, d) }()
		return
	}
	img, found := contactsheet.Of(b, s.schema)
	if !found {
		s.file.Discard()
		s.saved <- fmt.Errorf("%w: --save-first: no field is a uint8 image or video with rgb and nhwc", spool.ErrUnsupported)
		return
	}
	go func() {
		encoder := png.Encoder{CompressionLevel: png.BestSpeed}
		s.saved <- s.file.Finish(encoder.Encode(s.file, img))
	}()
}

// close waits for the file, or removes it if there was no batch.
func (s *sheet) close() error {
	switch {
	case s.saved != nil:
		return <-s.saved
	case s.file != nil:
		s.file.Discard()
	}
	return nil
}

const (
	videoMost = 64 << 20 // bytes of pixels
	videoRate = 8        // frames a second: those of a clip are some time apart
)

// writeVideo writes the frames of clips, all of one size, as a video.
func writeVideo(ctx context.Context, name string, pixels []byte, d spool.Desc) (err error) {
	frame := d.Shape[len(d.Shape)-3:]
	h, w := frame[0], frame[1]
	d.Shape = append(spool.Shape{len(pixels) / (3 * w * h)}, frame...)
	e, err := encode.Create(ctx, name, encode.Options{Video: &encode.Video{Width: w, Height: h, Rate: videoRate}})
	if err != nil {
		return spool.InFile(err, name)
	}
	defer cli.Closing(&err, e.Close)
	if err := e.Frames(ctx, pixels, d); err != nil {
		return spool.InFile(err, name)
	}
	return spool.InFile(e.Finish(ctx), name)
}
