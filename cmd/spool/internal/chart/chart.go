// Package chart draws the charts of --plot and --report in one style.
package chart

import (
	"bytes"
	"errors"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
)

// Flag defines --plot, the file for a chart.
func Flag(f *cli.Flags, p *string, help string) {
	f.Add("plot", "FILE.png|.svg", "", help, func(s string) error {
		if ending := filepath.Ext(s); ending != ".png" && ending != ".svg" {
			return errors.New("must be a name that ends in .png or .svg")
		}
		*p = s
		return nil
	})
}

// New returns an empty chart in a plain typeface.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(6)
	p.Legend.Top, p.Legend.XOffs = true, -vg.Points(6)
	for _, style := range []*draw.TextStyle{&p.Title.TextStyle, &p.Legend.TextStyle, &p.X.Label.TextStyle,
		&p.Y.Label.TextStyle,
		&p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font.Variant = "Sans"
	}
	return p
}

// Save draws a chart to a file, whose extension selects the format. The file exists only after success.
func Save(name string, p *plot.Plot, width, height vg.Length) error {
	canvas, err := p.WriterTo(width, height, filepath.Ext(name)[1:])
	if err != nil {
		return err
	}
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return err
	}
	file, err := output.Create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(drawn.Bytes())
	return file.Finish(err)
}
