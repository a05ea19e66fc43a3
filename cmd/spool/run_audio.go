package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

func runAudioCommand(args []string) *cobra.Command {
	var (
		r        = run{kind: source.Sounds}
		o        loader.AudioOptions
		duration float64
	)
	c := &cobra.Command{Use: "audio SRC...", Short: "Load sound from files, folders, globs, lists, tables and tar shards"}
	f := newFlags(c, args)
	s := &o.Spec
	f.number("rate", &s.Rate, "16000", 1, "samples a second")
	f.number("channels", &s.Channels, "1", 1, "mixed to so many")
	f.add("duration", "S", "", "seconds of a sample: longer sound is cut, silence follows shorter. Without it, each file is a batch of its own", func(text string) (err error) {
		if duration, err = strconv.ParseFloat(text, 64); err != nil || !(duration > 0 && duration < 1e9) {
			duration, err = 0, errors.New("not a length in seconds, like 10 or 0.5")
		}
		return err
	})
	f.boolean("train", &o.Random, false, "--duration from a random place of each sound")
	f.sound(s)
	f.audio(&o.Open)
	f.road(&r.road, "files")
	f.output(&r)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, len(args), "files, folders, globs, @lists, tables or tar shards to load")
		if samples := math.Ceil(duration * float64(s.Rate)); samples > math.MaxInt32 {
			f.refuse("--duration %v --rate %d: more than %d samples", duration, s.Rate, math.MaxInt32)
		} else {
			s.Length = int(samples)
		}
		if o.Random && duration == 0 {
			f.refuse("--train needs --duration")
			o.Random = false // told once
		}
		f.holds(r.road.Batch, float64(s.Length)*float64(s.Channels)*4, fmt.Sprintf("--duration %v", duration))
		r.progress.judge(f, &r.road)
		r.mix.judge(f, args)
		o.Options = r.road.options()
		if o.OnError == loader.Placeholder && duration == 0 {
			f.refuse("--on-error placeholder needs --duration")
			o.OnError = loader.Skip
		}
		f.check(o.Validate())
		r.load = func(src source.Source, with loader.Options) (*loader.Loader, error) {
			o.Options = with
			return loader.Audio(src, o)
		}
		return r.start(f, c, args)
	}
	return c
}
