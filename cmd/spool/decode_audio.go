package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
)

// audioDecode is one call of decode audio.
type audioDecode struct {
	file    string
	out     string
	spec    decode.AudioSpec
	explain bool
	open    decode.AudioOptions
	limits  decode.Limits
	stdout  io.Writer
	stderr  io.Writer
}

func decodeAudioCommand(args []string) *cobra.Command {
	var d audioDecode
	c := &cobra.Command{Use: "audio FILE --out OUT.npy", Short: "Decode sound to (C,T), or to (T,C) with --layout tc"}
	f := newFlags(c, args)
	s := &d.spec
	f.text("out", &d.out, "OUT.npy", "where the array goes; - is stdout")
	f.number("rate", &s.Rate, "", 1, "samples a second; the file's own if not given")
	f.number("channels", &s.Channels, "", 1, "mixed to so many; the file's own if not given")
	f.seconds("start", "what lies from here on, in seconds", &s.Start)
	f.seconds("end", "and before here", &s.End)
	f.sound(s)
	damage := false
	choice(f, "on-damage", &damage, "fail", "damaged packets: an error, or silence in their place", map[string]bool{"fail": false, "skip": true})
	f.audio(&d.open)
	f.limits(&d.limits)
	f.boolean("explain", &d.explain, false, "say on stderr how it was decoded")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, 1, "the file to decode")
		if d.out == "" {
			f.refuse("missing --out: where the array goes, - for stdout")
		}
		if c.Flags().Changed("end") && (s.End == s.Start || s.End == 0) { // which the options take for all the rest
			f.refuse("--end %v does not lie behind --start %v", s.End, s.Start)
		}
		if damage {
			s.OnDamage = decode.MarkDamage
		}
		f.check(s.Validate())
		f.check(d.open.Validate())
		if err := f.err(); err != nil {
			return err
		}
		d.file, d.stdout, d.stderr = args[0], c.OutOrStdout(), c.ErrOrStderr()
		return d.run(c.Context())
	}
	return c
}

// run decodes the sound into an array, which exists only if all went well.
func (d *audioDecode) run(ctx context.Context) (err error) {
	decoder, err := decode.New(decode.Options{Limits: d.limits})
	if err != nil {
		return err
	}
	defer closing(&err, decoder.Close)
	a, err := decoder.OpenAudio(ctx, decode.Input{Path: d.file}, d.open)
	if err != nil {
		return spool.InFile(err, d.file)
	}
	defer closing(&err, a.Close)
	sound, err := a.Read(ctx, d.spec)
	if err != nil {
		return spool.InFile(err, d.file)
	}
	defer sound.Release()
	if d.explain {
		fmt.Fprintln(d.stderr, explainAudio(a.Info(), a.Road(), sound.SoundReport, d.spec))
	}
	data := sound.Bytes()
	if n, ok := sound.Desc().Bytes(); ok {
		data = data[:n]
	}
	if d.out == "-" {
		return writeNPY(d.stdout, sound.Desc(), data)
	}
	file, err := create(d.out)
	if err != nil {
		return err
	}
	return file.finish(writeNPY(file, sound.Desc(), data))
}
