package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/lerobot"
)

// robot is the settings for LeRobot data sets.
type robot struct {
	options lerobot.Options
	camera  record.Video
	infers  bool // the fields are those of the data set
}

// Robot defines the settings for LeRobot data sets.
func (s *Set) Robot(r *robot) {
	r.options.DeltaTimestamps = map[string][]float64{}
	delta := s.define(&Setting{Name: "delta", Kind: "KEY=S,S,...",
		Help: "of a LeRobot data set: a window of this feature, in seconds relative to each row; give it once for each",
		parse: func(text string) error {
			key, times, found := strings.Cut(text, "=")
			if !found {
				return errors.New("must be of the form KEY=S,S: a feature, and seconds")
			}
			deltas, err := parseSeconds(times)
			r.options.DeltaTimestamps[key] = deltas
			return err
		}})
	delta.raw = func(value []byte) error {
		if string(value) == "null" {
			return nil
		}
		delta.given = true
		if json.Unmarshal(value, &r.options.DeltaTimestamps) != nil {
			return errors.New("must be an object with a list of seconds for each feature")
		}
		return nil
	}
	s.Add("episodes", "N,N,...", "", "of a LeRobot data set: only these episodes", func(text string) error {
		list, err := parseInts(text)
		if err != nil || slices.Min(list) < 0 {
			return errors.New("must be numbers of episodes like 0,3,7, which count from 0")
		}
		r.options.Episodes = list
		return nil
	})
	s.cameras(&r.camera)
}

// cameras defines the setting for the options of a data set's cameras: those of a video field.
func (s *Set) cameras(k *record.Video) {
	read := func(read func(*Set)) error {
		own := &Set{keys: s.keys}
		judge := videoField(own)
		read(own)
		*k = judge().(record.Video)
		if !own.Given("size") {
			k.Spec.Resize.Width, k.Spec.Resize.Height = 0, 0
		}
		return own.Err()
	}
	cameras := s.Add("cameras", "OPTION=VALUE,...", "",
		"of a LeRobot data set: options of its cameras, as of a video field; their size is that of the data set by default",
		func(text string) error {
			_, options, err := fieldText("cameras=," + text)
			if err != nil {
				return err
			}
			return read(func(own *Set) {
				for _, x := range options {
					own.assign(x[0], x[1])
				}
			})
		})
	cameras.raw = func(value []byte) error {
		if string(value) == "null" {
			return nil
		}
		cameras.given = true
		return read(func(own *Set) { own.JSON(value) })
	}
}

// given returns the settings that were given.
func (r *robot) given(s *Set) []string {
	return slices.DeleteFunc([]string{"delta", "episodes", "cameras"}, func(name string) bool { return !s.Given(name) })
}

// judge decides whether the fields are those of the data set, and not given.
func (r *robot) judge(s *Set, sources []string, fields bool) {
	if fields {
		if s.Given("cameras") {
			s.Refuse("--cameras excludes --field and --schema: give a field its own options")
		}
		return
	}
	if len(sources) != 1 || s.Given("field") || s.Given("schema") {
		return
	}
	is, err := lerobot.Is(context.Background(), sources[0], lerobot.Options{})
	r.infers = is || err != nil || strings.Contains(sources[0], "://") // List knows more
}

// open opens the sources as a data set. It returns nil if they are none.
func (r *robot) open(ctx context.Context, s *Set, sources []string, remote source.Remote) (*lerobot.DataSet, error) {
	o := r.options
	o.Remote, o.Tolerance = remote, r.camera.Tolerance
	given := r.given(s)
	is := false
	if len(sources) == 1 && (r.infers || len(given) > 0 || !strings.Contains(sources[0], "://")) {
		var err error
		if is, err = lerobot.Is(ctx, sources[0], o); err != nil {
			return nil, err
		}
	}
	switch {
	case is:
		set, err := lerobot.Open(ctx, sources[0], o)
		if errors.Is(err, spool.ErrOptions) {
			s.Check(err)
			err = s.Err()
		}
		return set, err
	case len(given) > 0:
		s.Refuse("--%s: is for a LeRobot data set, a folder with meta/info.json", given[0])
	case r.infers:
		s.Refuse("--field: a schema needs at least one field")
	}
	return nil, s.Err()
}

// RobotSchema returns a schema file for a LeRobot data set, with the fields that it has without one.
func RobotSchema(set *lerobot.DataSet) string {
	var w strings.Builder
	info := set.Info()
	fmt.Fprintf(&w, "# LeRobot %s: %d episodes, %d frames, %v frames a second. run records needs no schema for it.\n",
		info.Version, info.Episodes, info.Frames, info.FPS)
	w.WriteString("fields:\n")
	for _, f := range record.LeRobotSchema(set, record.Video{}) {
		text := kindText(f.Kind)
		if f.Optional {
			text += ", optional: true"
		}
		fmt.Fprintf(&w, "  %s: {%s}\n", f.Name, text)
	}
	return w.String()
}

// kindText returns the options of a field of a LeRobot data set.
func kindText(kind record.FieldKind) string {
	switch k := kind.(type) {
	case record.Video:
		r := k.Spec.Resize
		text := fmt.Sprintf("kind: video, size: %dx%d, times: %s, start: %s, end: %s, at: %s, tolerance: %v", r.Width,
			r.Height, commas(k.Times), k.Start.Input, k.End.Input, k.At.Input, k.Tolerance)
		if k.Spec.Color == decode.Index { // depth maps
			text += ", color: index, dtype: uint16, filter: nearest-floor"
		}
		return text
	case record.Image:
		text := fmt.Sprintf("kind: image, size: %dx%d", k.Spec.Resize.Width, k.Spec.Resize.Height)
		if k.Spec.DType == spool.Uint16 { // depth maps
			text += ", color: gray, dtype: uint16, filter: nearest-floor"
		}
		return text
	case record.Number:
		return "kind: number" + numberText(k.DType, k.Shape)
	case record.JSON:
		return "kind: json"
	}
	return "kind: text"
}

// numberText returns the options of numbers.
func numberText(t spool.DType, shape spool.Shape) string {
	if len(shape) > 0 {
		return fmt.Sprintf(", dtype: %v, shape: [%s]", t, commas(shape))
	}
	return fmt.Sprintf(", dtype: %v", t)
}
