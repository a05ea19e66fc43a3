package decoding

import (
	"iter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/decode/video"
)

// frameWriter writes the frames of a video, and counts what their decoding took.
type frameWriter struct {
	skip  bool // missing frames are left out
	crops int  // of the clip; 1: the first dimension is that of frames
	w     *stack

	times   frameTimes
	work    video.Work
	damaged int // packets
	state   [video.Missing + 1]int
	desc    spool.Desc
	stored  video.Stored // of the first clip, if planes are decoded
}

// frameTimes is the content of --pts-out.
type frameTimes struct {
	Index    []int     `json:"index"`
	PTS      []float64 `json:"pts"`
	Duration []float64 `json:"duration"`
}

// write writes the clips, whose frames together have the given shape.
func (t *frameWriter) write(shape spool.Desc, clips iter.Seq2[*video.Clip, error]) error {
	t.desc = shape
	t.times = frameTimes{Index: []int{}, PTS: []float64{}, Duration: []float64{}}
	if err := t.w.begin(shape); err != nil {
		return err
	}
	for clip, err := range clips {
		if err == nil {
			err = t.clip(clip)
			clip.Release()
		}
		if err != nil {
			return err
		}
	}
	t.desc.Shape[0] = t.w.n
	return nil
}

func (t *frameWriter) clip(c *video.Clip) error {
	t.work.Read += c.Work.Read
	t.work.Decoded += c.Work.Decoded
	t.work.Skipped += c.Work.Skipped
	t.work.Seeks += c.Work.Seeks
	t.damaged += len(c.Damage)
	if t.stored == (video.Stored{}) {
		t.stored = c.Stored
	}
	if t.crops > 1 {
		if err := t.w.add(t.crops, c.Bytes()); err != nil {
			return err
		}
	}
	size := len(c.Bytes()) / max(1, len(c.Frames))
	for i, f := range c.Frames {
		t.state[f.State]++
		if t.skip && f.State == video.Missing {
			continue
		}
		if t.crops == 1 {
			if err := t.w.add(1, c.Bytes()[i*size:(i+1)*size]); err != nil {
				return err
			}
		}
		t.times.Index = append(t.times.Index, f.Index)
		t.times.PTS = append(t.times.PTS, f.PTS)
		t.times.Duration = append(t.times.Duration, f.Duration)
	}
	return nil
}

// writeTimes writes the file of --pts-out, if it is requested.
func (t *frameWriter) writeTimes(name string) error {
	if name == "" {
		return nil
	}
	file, err := output.Create(name)
	if err != nil {
		return err
	}
	return file.Finish(output.JSON(file, t.times))
}
