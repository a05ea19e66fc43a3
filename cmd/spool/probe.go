package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/decode"
)

// probed is a line of probe --json.
type probed struct {
	File        string         `json:"file"`
	Kind        decode.Kind    `json:"kind,omitempty"`
	Format      string         `json:"format,omitempty"`
	Width       int            `json:"width,omitempty"`
	Height      int            `json:"height,omitempty"`
	Channels    int            `json:"channels,omitempty"`
	Bits        int            `json:"bits,omitempty"`
	Frames      int            `json:"frames,omitempty"`
	Orientation int            `json:"orientation,omitempty"`
	Duration    float64        `json:"duration_s,omitempty"`
	Rate        float64        `json:"rate,omitempty"`
	Streams     []probedStream `json:"streams,omitempty"`
	Error       *probeError    `json:"error,omitempty"`
}

type probedStream struct {
	Index    int      `json:"index"`
	Type     string   `json:"type"`
	Codec    string   `json:"codec,omitempty"`
	Width    int      `json:"width,omitempty"`
	Height   int      `json:"height,omitempty"`
	PixFmt   string   `json:"pix_fmt,omitempty"`
	Rotation float64  `json:"rotation,omitempty"`
	Rate     float64  `json:"rate,omitempty"`
	Channels int      `json:"channels,omitempty"`
	Layout   string   `json:"layout,omitempty"`
	Frames   int64    `json:"frames,omitempty"`
	Duration float64  `json:"duration_s,omitempty"`
	Start    *float64 `json:"start_s,omitempty"`
	Best     bool     `json:"best"`
}

type probeError struct {
	Class   spool.Class `json:"class"`
	Text    string      `json:"text"`
	Library string      `json:"library,omitempty"`
	Code    int         `json:"code,omitempty"`
}

func probeCommand() *cobra.Command {
	var (
		asJSON bool
		limits decode.Limits
	)
	c := &cobra.Command{Use: "probe FILE...", Short: "Say what files are, without decoding them"}
	f := flagsOf(c)
	f.boolean("json", &asJSON, false, "one JSON object a line")
	f.limits(&limits)
	c.RunE = func(c *cobra.Command, args []string) error {
		arguments(c, f, args, 1, 0, "the files to probe")
		if err := f.err(); err != nil {
			return err
		}
		bad := false
		for _, name := range args {
			media, err := decode.Probe(c.Context(), name, limits)
			if c.Context().Err() != nil {
				return c.Context().Err()
			}
			if err != nil && spool.ClassOf(err) == "" {
				return err
			}
			if err != nil {
				bad = true
				fmt.Fprintln(c.ErrOrStderr(), describe(err))
			}
			if err := printProbed(c.OutOrStdout(), name, media, err, asJSON); err != nil {
				return err
			}
		}
		if bad {
			return errReported
		}
		return nil
	}
	return c
}

func printProbed(w io.Writer, name string, m decode.Media, failed error, asJSON bool) error {
	if asJSON {
		line := probed{File: name}
		var e *spool.Error
		if errors.As(failed, &e) {
			line.Error = &probeError{Class: e.Class, Text: e.Detail(), Library: e.Lib, Code: e.Code}
		} else {
			line.fill(m)
		}
		return json.NewEncoder(w).Encode(line)
	}
	if failed != nil {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", name, inWords(m))
	return err
}

func (p *probed) fill(m decode.Media) {
	p.Kind = m.Kind
	if m.Kind == decode.Image {
		i := m.Picture
		p.Format, p.Width, p.Height, p.Channels, p.Bits = i.Format.String(), i.Width, i.Height, i.Channels, i.Bits
		p.Frames, p.Orientation = i.Frames, i.Orientation
		return
	}
	p.Format, p.Duration = m.Container.Format, m.Container.Duration.Seconds()
	for _, s := range m.Container.Streams {
		start := s.Start.Seconds()
		line := probedStream{Index: s.Index, Type: s.Kind.String(), Codec: s.Codec, Width: s.Width, Height: s.Height, PixFmt: s.PixelFormat,
			Rotation: s.Rotation, Rate: rate(s), Channels: s.Channels, Layout: s.Layout, Frames: s.Frames,
			Duration: s.Duration.Seconds(), Start: &start, Best: s.Best}
		p.Streams = append(p.Streams, line)
		if !s.Best || s.Kind.String() != string(m.Kind) {
			continue
		}
		p.Width, p.Height, p.Channels, p.Rate, p.Frames = s.Width, s.Height, s.Channels, rate(s), int(s.Frames)
		p.Bits = s.Bits
	}
}

// rate is frames a second of video, samples a second of sound.
func rate(s av.Stream) float64 {
	if s.Kind == av.Audio {
		return float64(s.Rate)
	}
	return s.FrameRate.Float()
}

// inWords is what a person wants to know in one line.
func inWords(m decode.Media) string {
	if m.Kind == decode.Image {
		i := m.Picture
		words := []string{fmt.Sprintf("image %v %dx%d, %d channels of %d bits", i.Format, i.Width, i.Height, i.Channels, i.Bits)}
		if i.Frames > 1 {
			words = append(words, fmt.Sprintf("%d frames", i.Frames))
		}
		if i.Orientation > 1 {
			words = append(words, fmt.Sprintf("orientation %d", i.Orientation))
		}
		return strings.Join(words, ", ")
	}
	words := []string{fmt.Sprintf("%s %s %.3f s", m.Kind, m.Container.Format, m.Container.Duration.Seconds())}
	for _, s := range m.Container.Streams {
		switch s.Kind {
		case av.Video:
			words = append(words, fmt.Sprintf("%s %dx%d %.3g/s", s.Codec, s.Width, s.Height, rate(s)))
		case av.Audio:
			words = append(words, fmt.Sprintf("%s %.6g Hz %d channels", s.Codec, rate(s), s.Channels))
		}
	}
	return strings.Join(words, ", ")
}
