package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/settings"
)

// audioDecode is one call of decode audio.
type audioDecode struct {
	settings.DecodeAudio
	file    string
	out     string
	explain bool
	stdout  io.Writer
	stderr  io.Writer
}

func decodeAudioCommand(args []string) *cobra.Command {
	var d audioDecode
	c := &cobra.Command{Use: "audio FILE --out OUT.npy", Short: "Decode sound to (C,T), or to (T,C) with --layout tc"}
	f := newFlags(c, args)
	f.Text("out", &d.out, "OUT.npy", "where the array goes; - is stdout")
	judge := f.DecodeAudio(&d.DecodeAudio)
	f.Boolean("explain", &d.explain, false, "say on stderr how it was decoded")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, 1, "the file to decode")
		if d.out == "" {
			f.Refuse("missing --out: where the array goes, - for stdout")
		}
		judge()
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
	from, err := newStores(d.Stores)
	if err != nil {
		return err
	}
	defer closing(&err, from.Close)
	in := from.object(d.file)
	name := spool.Shown(d.file)
	decoder, err := decode.New(decode.Options{Limits: d.Limits})
	if err != nil {
		return err
	}
	defer closing(&err, decoder.Close)
	a, err := decoder.OpenAudio(ctx, in, d.Open)
	if err != nil {
		return spool.InFile(err, name)
	}
	defer closing(&err, a.Close)
	sound, err := a.Read(ctx, d.Spec)
	if err != nil {
		return spool.InFile(err, name)
	}
	defer sound.Release()
	if d.explain {
		fmt.Fprintln(d.stderr, explainAudio(a.Info(), a.Road(), sound.SoundReport, d.Spec))
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
