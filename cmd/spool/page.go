package main

import (
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"os"
	"strings"
	"time"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
)

// page is what --report makes: what a run did, in one file that needs no other.
type page struct {
	file    *output // nil when none is wanted, or it is written
	title   string
	begun   time.Time
	history *history
}

// newPage makes the file. Without a name there will be no page.
func newPage(name string, arguments []string) (*page, error) {
	if name == "" {
		return &page{}, nil
	}
	file, err := create(name)
	if err != nil {
		return nil, err
	}
	return &page{file: file, title: "spool " + strings.Join(arguments, " "), begun: time.Now()}, nil
}

// watch begins to follow a loader, until the function that it gives is called.
func (p *page) watch(l *loader.Loader) (end func()) {
	if p.file == nil {
		return func() {}
	}
	p.history = watch(l.Report)
	return p.history.end
}

// shownFailures is how many failures a page has.
const shownFailures = 24

// shownFailure is a failure with what can be seen of its file.
type shownFailure struct {
	pipe.Failure
	Picture template.URL
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"percent": func(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }}).Parse(pageText))

// write makes the page of a run that has ended.
func (p *page) write(ctx context.Context, s *summary, failures []pipe.Failure) error {
	if p.file == nil {
		return nil
	}
	figures, err := p.history.figures()
	if err != nil {
		return err
	}
	shown, err := thumbnails(ctx, failures)
	if err != nil {
		return err
	}
	file := p.file
	p.file = nil
	return file.finish(pageTemplate.Execute(file, struct {
		Title, When, Version string
		Summary              *summary
		Figures              []figure
		Failures             []shownFailure
		Failed               int
	}{p.title, p.begun.Format(time.RFC1123), commit(), s, figures, shown, int(s.Failed)}))
}

// close removes the file of a run that did not get as far as to write it.
func (p *page) close() error {
	if p.file != nil {
		p.file.discard()
	}
	return nil
}

// thumbnails decodes what there is of pictures that failed, however little.
func thumbnails(ctx context.Context, failures []pipe.Failure) (all []shownFailure, err error) {
	d, err := decode.New(decode.Options{})
	if err != nil {
		return nil, err
	}
	defer closing(&err, d.Close)
	for _, f := range failures {
		all = append(all, shownFailure{f, thumbnail(ctx, d, f.File)})
	}
	return all, nil
}

// thumbnail is a small picture of a file as a URL of its own bytes; empty where nothing can be made of it.
func thumbnail(ctx context.Context, d *decode.Decoder, name string) template.URL {
	const width, height = 96, 72
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 64<<20 { // not worth the memory
		return ""
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	b, _, err := d.Image(ctx, data, decode.ImageSpec{Accept: 1e-9, Resize: resize.Spec{Width: width, Height: height, Mode: resize.Fit, Profile: resize.Fast}})
	if err != nil {
		return ""
	}
	defer b.Release()
	coded, err := encode.Image(ctx, b.Bytes(), b.Desc(), encode.ImageOptions{Format: encode.JPEG})
	if err != nil {
		return ""
	}
	return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(coded)) //nolint:gosec // base64 has nothing to escape
}
