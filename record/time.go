package record

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Time is a time in seconds: the value of an input, or the same for all samples.
type Time struct {
	// Input is the input that has the time, as a number: a column, or a member with text. Empty means Seconds.
	Input   string
	Seconds float64
}

// validate adds the problem of a time that is no number, or that is given twice.
func (t Time) validate(name string, bad *invalid.Options) {
	if math.IsNaN(t.Seconds) || math.IsInf(t.Seconds, 0) {
		bad.Value(name+".Seconds", t.Seconds, "must be finite")
	}
	if t.Input != "" && t.Seconds != 0 {
		bad.Excludes(invalid.Named(name+".Input"), invalid.Named(name+".Seconds"), "one of them is the time")
	}
}

// oneStream adds that a field's stream is given twice.
func oneStream(bad *invalid.Options, input string, given bool) {
	if input != "" && given {
		bad.Excludes(invalid.With("Stream", input), invalid.Named("Open.Stream", "Open.Language"), "the input has the stream")
	}
}

// timed is a kind whose fields have times.
type timed interface {
	// times returns the field's times, always in the same order, and the input of its stream after them, if it has one.
	times() []Time
}

// withStream adds the input of a stream's number to times.
func withStream(input string, times ...Time) []Time {
	if input != "" {
		times = append(times, Time{Input: input})
	}
	return times
}

// stream returns the stream that an input has given, or else the one of the options. numbers are those of the field
// after its times.
func (r *run) stream(f *field, numbers []float64, otherwise *int) (*int, error) {
	if len(numbers) == 0 {
		return otherwise, nil
	}
	n := int(numbers[0])
	if float64(n) != numbers[0] || n < 0 {
		object := r.inputs[f.times[len(f.times)-1]]
		return nil, &spool.Error{Op: "decode", File: object.Info().Name, Class: spool.ErrCorrupt,
			Text: fmt.Sprintf("%v is no number of a stream", numbers[0])}
	}
	return &n, nil
}

// timesOf returns the times of a kind; nil for most.
func timesOf(k FieldKind) []Time {
	if k, ok := k.(timed); ok {
		return k.times()
	}
	return nil
}

// segmented reports whether times come from inputs, so that several records may have parts of one file.
func segmented(k FieldKind) bool {
	for _, t := range timesOf(k) {
		if t.Input != "" {
			return true
		}
	}
	return false
}

// seconds returns the times of a field for a record, and the number of its stream after them; nil if the record lacks
// one, which is optional.
func (r *run) seconds(f *field) (all []float64, err error) {
	for i, t := range timesOf(f.Kind) {
		if t.Input == "" {
			all = append(all, t.Seconds)
			continue
		}
		object := r.inputs[f.times[i]]
		if object == nil {
			if !f.Optional {
				return nil, &spool.Error{Op: "decode", Class: spool.ErrNotFound, Text: "the sample lacks " + t.Input}
			}
			return nil, nil
		}
		text, err := spool.ReadAll(r.ctx, object, nil, r.decoders.Images.Limits().MaxBytes)
		if err != nil {
			return nil, err
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, &spool.Error{Op: "decode", File: object.Info().Name, Class: spool.ErrCorrupt,
				Text: t.Input + " is no number"}
		}
		all = append(all, v)
	}
	return all, nil
}
