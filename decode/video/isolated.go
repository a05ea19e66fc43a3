package video

import (
	"context"
	"encoding/json"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/decode/internal/isolated"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/internal/helper"
)

// isolated reports whether the video is decoded in helpers: all are that FFmpeg decodes on the CPU. A stream is decoded
// here, since a helper that takes the place of another could not read it again.
func (v *Video) isolated() bool {
	d := v.decoder
	return d.helpers != nil && d.isolate >= decode.IsolateAuto && v.options.Device == "" && !v.in.IsStream()
}

// errAway is for what needs the video in this process.
var errAway = &spool.Error{Op: "decode", Class: spool.ErrUnsupported,
	Text: "packets and frames of devices need the video in this process: decode.IsolateOff"}

// The operations of a helper.
const (
	opIndex  = "index"  // makes the index
	opFrames = "frames" // of one or more requests
)

// task is what a helper does with a video.
type task struct {
	Op       string
	Requests []wireRequest
}

// wireRequest is a request, with what its functions have returned.
type wireRequest struct {
	Frames   []int
	Spec     Spec
	Adjusted bool
	Steps    []augment.Step
	Bytes    int // of the result
}

// indexed is the reply to opIndex. The index is in the memory of the output.
type indexed struct{ Bytes int }

// wireAnswer is the reply to a request.
type wireAnswer struct {
	Report  Report
	Damage  []isolated.Damage // of the report
	Failure *helper.Failure
	Cut     bool
}

// away is how a helper opens a video.
type away struct{ Options OpenOptions }

// opening gives a helper the options, and the index as soon as there is one.
func (v *Video) opening() (options any, table []byte, err error) {
	o := OpenOptions{Stream: v.options.Stream, Language: v.options.Language, Threads: v.options.Threads, Workers: 1,
		Codec: v.options.Codec, CodecOptions: v.options.CodecOptions}
	if v.index != nil {
		o.Stream, o.Language = &v.info.Stream, ""
		table, err = v.index.MarshalBinary()
	}
	return away{o}, table, err
}

// openAway opens the video by an index: the known one, or that which a helper makes.
func (v *Video) openAway(ctx context.Context, file index.File, known *index.Index) error {
	v.session.video = v
	if known != nil {
		return v.describeBy(known)
	}
	return v.away.Do(ctx, task{Op: opIndex}, 0, func(text json.RawMessage, output []byte) error {
		var reply indexed
		if err := json.Unmarshal(text, &reply); err != nil || reply.Bytes < 0 || reply.Bytes > len(output) {
			return isolated.Untrue("an index of %d bytes, %v", reply.Bytes, err)
		}
		x, err := index.Unmarshal(output[:reply.Bytes])
		if err != nil {
			return isolated.Untrue("%v", err)
		}
		x.File = file
		return v.describeBy(x)
	})
}

// serveAway has a helper run jobs by one plan. Its error fails all of them.
func (v *Video) serveAway(ctx context.Context, jobs []*job) error {
	t := task{Op: opFrames, Requests: make([]wireRequest, len(jobs))}
	var all []int
	for i, j := range jobs {
		k := j.output
		t.Requests[i] = wireRequest{Frames: j.frames, Spec: k.asked, Adjusted: k.adjust != nil, Steps: k.steps,
			Bytes: len(k.dst)}
		all = append(all, j.frames...)
	}
	if v.in.IsRemote() {
		if err := v.await(ctx, v.expect(v.index.Plan(all).Runs, 0)); err != nil {
			return err
		}
	}
	return v.away.Do(ctx, t, len(all), func(text json.RawMessage, output []byte) error {
		var answers []wireAnswer
		if err := json.Unmarshal(text, &answers); err != nil || len(answers) != len(jobs) {
			return isolated.Untrue("%d answers to %d requests, %v", len(answers), len(jobs), err)
		}
		for i, j := range jobs {
			if len(j.output.dst) > len(output) {
				return isolated.Untrue("results of more than %d bytes", len(output))
			}
			if err := j.answered(&answers[i], output); err != nil {
				return err
			}
			v.info.Cut = v.info.Cut || answers[i].Cut
			output = output[len(j.output.dst):]
		}
		return nil
	})
}

// answered takes the answer of a helper, with the frames at the beginning of output.
func (j *job) answered(a *wireAnswer, output []byte) error {
	if a.Failure != nil {
		j.err = a.Failure.Err()
		return nil
	}
	got, want := a.Report.Desc, clipOf(len(j.frames), j.output.desc)
	if !got.Shape.Equal(want.Shape) || got.DType != want.DType || got.Layout != want.Layout ||
		len(a.Report.Frames) != len(j.frames) {
		return isolated.Untrue("%d frames, %v", len(a.Report.Frames), got)
	}
	copy(j.output.dst, output)
	j.report, j.report.Damage = a.Report, isolated.Damages(a.Damage)
	return nil
}

// HelperTasks is what a helper process does for videos: see package decode/isolate.
func HelperTasks() decode.HelperTasks {
	return isolated.HelperTasks(decode.Video, func(shared *decode.Decoder) (helper.Handler, error) {
		d, err := New(shared, Options{})
		if err != nil {
			return nil, err
		}
		videos := isolated.Kept[*Video]{Open: d.openLent}
		return func(c *helper.Call) (any, error) {
			v, err := videos.Of(c)
			if err != nil {
				return nil, err
			}
			var t task
			if err := json.Unmarshal(c.Head, &t); err != nil {
				return nil, err
			}
			if t.Op == opIndex {
				return v.indexInto(c.Output)
			}
			return v.framesInto(c.Output, t.Requests)
		}, nil
	})
}

// openLent opens a video in a helper.
func (d *Decoder) openLent(object spool.Object, far bool, options json.RawMessage, table []byte) (*Video, error) {
	var a away
	if err := json.Unmarshal(options, &a); err != nil {
		return nil, err
	}
	in := &container.Input{Object: object, Info: object.Info(), Far: far}
	v := &Video{decoder: d, options: a.Options, in: in}
	var known *index.Index
	if len(table) > 0 {
		var err error
		if known, err = index.Unmarshal(table); err != nil {
			return nil, err
		}
		known.File = in.State()
	}
	ctx := context.Background() // the helper is killed when the caller's ends
	if err := v.openBy(ctx, in.State(), known); err != nil {
		_ = v.Close() // always nil
		return nil, v.fault(ctx, err)
	}
	return v, nil
}

// indexInto writes the index, in a helper.
func (v *Video) indexInto(output []byte) (indexed, error) {
	if v.index == nil {
		return indexed{}, &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: "a video without an index"}
	}
	table, err := v.index.MarshalBinary()
	if err != nil {
		return indexed{}, err
	}
	if len(table) > len(output) {
		return indexed{}, limit.Exceeded("an index of %d bytes, the limit is %d", len(table), len(output))
	}
	return indexed{copy(output, table)}, nil
}

// framesInto decodes frames in a helper.
func (v *Video) framesInto(output []byte, wire []wireRequest) ([]wireAnswer, error) {
	requests := make([]Request, len(wire))
	for i, w := range wire {
		if w.Bytes > len(output) {
			return nil, limit.Exceeded("results of more than the limit of memory")
		}
		if w.Adjusted {
			w.Spec.Adjust = func(int, int) []augment.Step { return w.Steps }
		}
		requests[i] = Request{Video: v, Dst: output[:w.Bytes:w.Bytes], Frames: w.Frames, Spec: w.Spec}
		output = output[w.Bytes:]
	}
	answers := make([]wireAnswer, len(wire))
	for i, a := range Gather(context.Background(), requests) {
		answers[i] = wireAnswer{Report: a.Report, Damage: isolated.WireDamage(a.Report.Damage), Cut: v.info.Cut}
		answers[i].Report.Damage = nil
		if a.Err != nil {
			failure := helper.NewFailure(a.Err)
			answers[i].Failure = &failure
		}
	}
	return answers, nil
}
