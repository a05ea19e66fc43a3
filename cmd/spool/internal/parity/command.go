// Package parity has the command parity, which compares spool's pixels with those of another loader.
package parity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// parity is one call of the command.
type parity struct {
	peer     peer
	turbo    *decoders.Set // in place of the peer: a decoder with libjpeg-turbo only
	profiles []resize.Profile
	spec     image.Spec
	random   int // random cases per file; 0: spec as it is
	seed     int
	limits   decode.Limits
	stores   object.Options
	orient   bool
	strict   bool
	json     bool
	plot     string // file for a chart
}

// against is what each peer supports.
var against = map[string]struct {
	filters []resize.Filter
	modes   []resize.Mode
}{
	"pillow": {[]resize.Filter{resize.Bilinear, resize.Bicubic, resize.Lanczos, resize.Box, resize.Nearest},
		[]resize.Mode{resize.Stretch, resize.Fit, resize.Cover}},
	"torchvision": {[]resize.Filter{resize.Bilinear, resize.Bicubic, resize.NearestFloor, resize.NearestExact},
		[]resize.Mode{resize.Stretch}},
	turbo: {[]resize.Filter{resize.Bilinear, resize.Bicubic, resize.Lanczos, resize.Box, resize.Nearest},
		[]resize.Mode{resize.Stretch, resize.Fit, resize.Cover}},
	"opencv": {[]resize.Filter{resize.Bilinear, resize.Bicubic, resize.Lanczos, resize.Box, resize.Nearest},
		[]resize.Mode{resize.Stretch}},
}

// Command returns the command parity.
func Command() cli.Command {
	return cli.Command{Use: "parity FILE... --against pillow|torchvision|opencv|turbo",
		Short: "Compare the pixels with those of another loader", Define: define}
}

func define(c *cobra.Command, args []string) {
	var p parity
	f := cli.NewFlags(c, args)
	p.define(f)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, len(args), "the files to compare")
		p.refuse(f)
		if err := f.Problem(); err != nil {
			return err
		}
		return p.start(c, args)
	}
}

// define adds the flags.
func (p *parity) define(f *cli.Flags) {
	s := &p.spec.Resize
	settings.Choice(f.Set, "against", &p.peer.against, "",
		"the reference: a Python package, which must be installed; or libjpeg-turbo in place of spool's JPEG engine",
		map[string]string{"pillow": "pillow", "torchvision": "torchvision", "opencv": "opencv", turbo: turbo})
	f.Add("python", "FILE", "python3", "the interpreter that has the package",
		func(s string) error { p.peer.python = s; return nil })
	f.Add("profile", "P,P...", "exact,pillow,fast", "the profiles to compare", func(s string) (err error) {
		p.profiles, err = parseProfiles(s)
		return err
	})
	f.Geometry(s)
	f.Filter(&s.Filter)
	f.Boolean("orient", &p.orient, true, "both sides apply the EXIF orientation")
	f.Number("random", &p.random, "", 1, "instead draw N random sizes, filters and boxes per file")
	f.Number("seed", &p.seed, "0", 0, "the seed of --random")
	f.Boolean("strict", &p.strict, false, "fail if a profile breaks its promise for this package")
	f.Plot(&p.plot, "a chart of how many samples differ, and by how much")
	f.Boolean("json", &p.json, false, "print an object for each comparison, and one for all")
	f.Limits(&p.limits)
	f.Stores(&p.stores)
}

// start compares the files and prints the report.
func (p *parity) start(c *cobra.Command, files []string) (err error) {
	r := &report{Against: p.peer.against, random: p.random > 0, sizes: p.bothSizes(), spec: p.spec.Resize}
	if p.json {
		r.each = func(line any) error { return output.JSON(c.OutOrStdout(), line) }
	}
	if err := p.run(c.Context(), c.ErrOrStderr(), files, r); err != nil {
		return err
	}
	r.finish()
	if p.json {
		err = output.JSON(c.OutOrStdout(), r)
	} else {
		err = r.print(c.OutOrStdout())
	}
	if err == nil && p.plot != "" && r.Compared > 0 {
		err = r.draw(p.plot)
	}
	if err == nil && (r.unread > 0 || r.Compared == 0 || p.strict && r.Broken > 0) {
		err = cli.ErrReported
	}
	return err
}

// refuse completes the spec, and adds problems of the flags.
func (p *parity) refuse(f *cli.Flags) {
	p.spec.Stored = !p.orient
	s := p.spec.Resize
	can, ok := against[p.peer.against]
	if !ok {
		if !f.Given("against") {
			f.Refuse("missing --against: give the loader to compare with, %s", settings.AnyOf(slices.Sorted(maps.Keys(against))))
		}
	} else {
		if s.Width > 0 && !slices.Contains(can.modes, s.Mode) {
			f.Refuse("--mode=%v: %s does not support this", s.Mode, p.peer.against)
		}
		if !slices.Contains(can.filters, s.Filter) {
			f.Refuse("--filter=%v: %s does not support this", s.Filter, p.peer.against)
		}
	}
	if p.random > 0 && (s.Resizes() || s.CropWidth > 0) {
		f.Refuse("--random excludes --size, --resize-shorter, --max-size and --crop: it draws sizes")
	}
	f.Check(p.spec.Validate())
}

// parseProfiles parses a list with commas.
func parseProfiles(text string) (list []resize.Profile, err error) {
	for name := range strings.SplitSeq(text, ",") {
		var profile resize.Profile
		if err := profile.UnmarshalText([]byte(name)); err != nil {
			return nil, errors.New("must be a list of exact, pillow and fast")
		}
		if !slices.Contains(list, profile) {
			list = append(list, profile)
		}
	}
	return list, nil
}

// run compares the files, and adds the results to the report.
func (p *parity) run(ctx context.Context, stderr io.Writer, patterns []string, r *report) (err error) {
	from, err := inputs.New(p.stores)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, from.Close)
	files, err := source.Open(ctx, patterns, source.Options{Remote: from})
	if err != nil {
		return err
	}
	decoder, err := decoders.New(decoders.Options{Limits: p.limits})
	if err != nil {
		return err
	}
	defer cli.Closing(&err, decoder.Close)
	if p.peer.against == turbo {
		if p.turbo, err = decoders.New(decoders.Options{Limits: p.limits, JPEG: image.JPEGTurbo}); err != nil {
			return err
		}
		defer cli.Closing(&err, p.turbo.Close)
		r.Versions = map[string]string{"libjpeg-turbo": jpeg.Version()}
		r.JPEG = &image.JPEGCounts{Left: map[string]int64{}}
	} else {
		p.peer.maxPixels, p.peer.maxBytes = decoder.Limits().MaxPixels, decoder.Limits().MaxMemory
		if err := p.begin(ctx, stderr); err != nil {
			return err
		}
		defer p.peer.close()
		r.Python, r.Versions = p.peer.hello.Python, p.peer.hello.Versions
	}

	status := output.NewConsole(stderr)
	defer status.Clear()
	for i := range files.Len() {
		if status.Terminal() {
			status.Show(fmt.Sprintf("%d of %d files", i, files.Len()))
		}
		name := files.Item(i).Name
		data, err := inputs.Read(ctx, files, i, p.limits)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			line, _ := cli.Describe(spool.InFile(err, name))
			status.Line(line)
			r.unread++
			continue
		}
		if err := p.file(ctx, decoder, i, name, data, r); err != nil {
			return err
		}
	}
	return nil
}

// begin starts the peer, or prints how to install it.
func (p *parity) begin(ctx context.Context, stderr io.Writer) error {
	path, err := exec.LookPath(p.peer.python)
	if err != nil {
		fmt.Fprintf(stderr, "spool: parity: no %s here: install Python 3, or name an interpreter with --python\n",
			output.Printable(p.peer.python))
		return cli.ErrReported
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	p.peer.python = path
	if err := p.peer.start(ctx); err != nil {
		if reason, ok := errors.AsType[refusal](err); ok {
			fmt.Fprintf(stderr, "spool: parity: %s\n", output.OneLine(string(reason)))
			return cli.ErrReported
		}
		return err
	}
	if p.peer.hello.Error != "" {
		fmt.Fprint(stderr, p.peer.missing())
		p.peer.close()
		return cli.ErrReported
	}
	return nil
}
