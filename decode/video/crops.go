package video

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

// cropped describes the result of a spec, from the description of one crop of its clip.
func (s Spec) cropped(clip spool.Desc) spool.Desc {
	if s.Crops != resize.OneCrop {
		clip.Shape = append(spool.Shape{s.Crops.Len()}, clip.Shape...)
	}
	return clip
}

// outputs plans the crops of a spec, each as the output of a request of its own.
func (v *Video) outputs(spec Spec) ([]*output, error) {
	if spec.Crops == resize.OneCrop {
		k, err := v.newCut(spec)
		return []*output{k}, err
	}
	outputs := make([]*output, spec.Crops.Len())
	for i := range outputs {
		one := spec
		one.Crops, one.Draw = resize.OneCrop, spec.Crops.Draw(i, spec.Resize, spec.Draw)
		var err error
		if outputs[i], err = v.newCut(one); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// jobsOf makes the jobs of outputs, whose clips are side by side in dst.
func jobsOf(outputs []*output, frames []int, policy decode.Damage, dst []byte) []*job {
	jobs := make([]*job, len(outputs))
	size := len(frames) * outputs[0].size
	for i, k := range outputs {
		k.dst = dst[i*size:][:size:size]
		jobs[i] = &job{output: k, frames: frames, policy: policy}
	}
	return jobs
}

// reported is the report of jobs that are done. That of several crops is the first one's, with the description of all.
func reported(spec Spec, jobs []*job) (Report, error) {
	for _, j := range jobs {
		if j.err != nil {
			return Report{}, j.err
		}
	}
	report := jobs[0].report
	report.Desc = spec.cropped(report.Desc)
	return report, nil
}

// noCrops returns an error for several crops of frames that are decoded in chunks.
func (s Spec) noCrops() error {
	if s.Crops != resize.OneCrop {
		return fmt.Errorf("%w: Crops are of a clip, and not of chunks", spool.ErrOptions)
	}
	return nil
}
