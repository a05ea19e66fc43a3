// Package page writes the page of run --report: the state of a run over time, and its failures.
package page

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/checkup"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/internal/thumbnail"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source"
)

// Page is the page of --report: a run in one self-contained file.
type Page struct {
	file    *output.File // nil if no page is wanted, or after it is written
	title   string
	begun   time.Time
	history *history
}

// New creates the file. Without a name there is no page.
func New(name string, arguments []string) (*Page, error) {
	if name == "" {
		return &Page{}, nil
	}
	file, err := output.Create(name)
	if err != nil {
		return nil, err
	}
	return &Page{file: file, title: Title(arguments), begun: time.Now()}, nil
}

// Title is the command line of a run, without passwords.
func Title(arguments []string) string {
	shown := make([]string, len(arguments))
	for i, word := range arguments {
		shown[i] = spool.Redacted(word)
	}
	return "spool " + strings.Join(shown, " ")
}

// Watch begins to record a loader and its stores. The function that it returns ends that.
func (p *Page) Watch(l *loader.Loader, from inputs.Stores) (end func()) {
	if p.file == nil {
		return func() {}
	}
	p.history = watch(l.Report, from.Stats)
	return p.history.end
}

// shownFailure is a failure with a thumbnail of its file.
type shownFailure struct {
	pipe.Failure
	Thumbnail template.URL
}

// thumbnails decodes failed samples as far as possible, until ctx ends. It reads them from the run's source.
func thumbnails(ctx context.Context, src source.Source, failures []pipe.Failure) (all []shownFailure, err error) {
	d, err := decoders.New(decoders.Options{})
	if err != nil {
		return nil, err
	}
	defer cli.Closing(&err, d.Close)
	for _, f := range failures {
		var url template.URL
		if coded := thumbnail.Of(ctx, d, src, f.ID); coded != nil {
			url = template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(coded)) //nolint:gosec // base64 has nothing to escape
		}
		all = append(all, shownFailure{f, url})
	}
	return all, nil
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"percent": func(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }}).Parse(pageText))

// Write writes the page of a run that has ended, on samples of src. After ctx has ended, which is an error in any case,
// it adds no more thumbnails.
func (p *Page) Write(ctx context.Context, src source.Source, t *tally.Tally, failures []pipe.Failure) error {
	if p.file == nil {
		return nil
	}
	shown, err := thumbnails(ctx, src, failures)
	if err != nil {
		return err
	}
	file := p.file
	p.file = nil
	return cmp.Or(file.Finish(pageTemplate.Execute(file, struct {
		Title, When, Version string
		Summary              *tally.Tally
		Figures              []figure
		Moves                []stats.Move
		Failures             []shownFailure
		Failed               int
	}{p.title, p.begun.Format(time.RFC1123), checkup.Commit(), t, p.history.figures(), p.history.last().report.Moves,
		shown, int(t.Failed)})), ctx.Err())
}

// Close removes the file of a run that ended before its page was written.
func (p *Page) Close() error {
	if p.file != nil {
		p.file.Discard()
	}
	return nil
}
