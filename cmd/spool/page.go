package main

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/checkup"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source"
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
	shown := make([]string, len(arguments))
	for i, word := range arguments {
		shown[i] = spool.Shown(word)
	}
	return &page{file: file, title: "spool " + strings.Join(shown, " "), begun: time.Now()}, nil
}

// watch begins to follow a loader and the stores it reads from, until the function that it gives is called.
func (p *page) watch(l *loader.Loader, from stores) (end func()) {
	if p.file == nil {
		return func() {}
	}
	p.history = watch(l.Report, from.Stats)
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

// write makes the page of a run that has ended, on samples of src.
func (p *page) write(ctx context.Context, src source.Source, s *summary, failures []pipe.Failure) error {
	if p.file == nil {
		return nil
	}
	figures, err := p.history.figures()
	if err != nil {
		return err
	}
	shown, err := thumbnails(ctx, src, failures)
	if err != nil {
		return err
	}
	file := p.file
	p.file = nil
	return file.finish(pageTemplate.Execute(file, struct {
		Title, When, Version string
		Summary              *summary
		Figures              []figure
		Moves                []pipe.Move
		Failures             []shownFailure
		Failed               int
	}{p.title, p.begun.Format(time.RFC1123), checkup.Commit(), s, figures, p.history.last().report.Moves, shown, int(s.Failed)}))
}

// close removes the file of a run that did not get as far as to write it.
func (p *page) close() error {
	if p.file != nil {
		p.file.discard()
	}
	return nil
}
