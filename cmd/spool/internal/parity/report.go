package parity

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/resize"
)

// comparison is a line of parity --json: one case of one file with one profile.
type comparison struct {
	File    string         `json:"file"`
	Format  string         `json:"format,omitempty"`
	Profile resize.Profile `json:"profile"`
	Size    string         `json:"size,omitempty"`
	Filter  resize.Filter  `json:"filter"`
	Box     string         `json:"box,omitempty"`    // WIDTHxHEIGHT+LEFT+TOP
	Reader  string         `json:"reader,omitempty"` // the peer's decoder
	Engine  string         `json:"engine,omitempty"` // against turbo, spool's decoder
	Reason  string         `json:"reason,omitempty"` // and why that was libjpeg-turbo
	*Figures
	Error map[string]string `json:"error,omitempty"` // by side: spool, the package, or both; or size
	Rule  string            `json:"rule,omitempty"`  // of docs/parity.md, for an image that breaks the promise

	// Inputs of the rules.
	against string
	data    []byte
	format  format.Format
	stored  bool
	refusal spool.Class // the class of spool's error
}

// newComparison returns a case without results.
func newComparison(file string, format format.Format, s resize.Spec) comparison {
	c := comparison{File: file, format: format, Format: format.String(), Profile: s.Profile, Size: caseSize(s),
		Filter: s.Filter, Error: map[string]string{}}
	if s.Box != (resize.Rect{}) {
		c.Box = s.Box.String()
	}
	return c
}

// Figures describe how much two images, or all of them, differ.
type Figures struct {
	Equal bool     `json:"equal"`
	Mean  float64  `json:"mean"`
	P99   int      `json:"p99"`
	Max   int      `json:"max"`
	PSNR  *float64 `json:"psnr,omitempty"` // nil if they are equal
}

func figuresOf(d *difference) *Figures {
	return &Figures{Equal: d.equal(), Mean: d.mean(), P99: d.percentile(0.99), Max: d.largest(), PSNR: finite(d.psnr())}
}

// finite returns nil for numbers that JSON cannot represent.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// report is the result of all comparisons.
type report struct {
	Against  string            `json:"against"`
	Python   string            `json:"python,omitempty"`
	Versions map[string]string `json:"versions"`
	Compared int               `json:"compared"`
	Broken   int               `json:"broken"`          // comparisons that break a profile's promise
	Rules    map[string]int    `json:"rules,omitempty"` // comparisons that a rule excuses, by its name
	Profiles []*profileReport  `json:"profiles"`

	JPEG *image.JPEGCounts `json:"jpeg,omitempty"` // against turbo, the files by spool's decoder

	spec   resize.Spec
	random bool
	unread int             // files that could not be read
	others int             // against turbo, files of other formats
	sizes  bool            // two sizes: the images' own, and 224x224
	each   func(any) error // called with each comparison; may be nil
}

// profileReport is the result of the comparisons with one profile.
type profileReport struct {
	Profile  resize.Profile `json:"profile"`
	Compared int            `json:"compared"`
	Equals   int            `json:"equals"`
	Figures                 // over all samples of all images
	// The lowest and the median PSNR of the images; nil if these are equal.
	PSNRMin    *float64 `json:"psnr_min,omitempty"`
	PSNRMedian *float64 `json:"psnr_median,omitempty"`
	// Images that only one side reads, or neither.
	RefusedBySpool int           `json:"refused_by_spool"`
	RefusedByPeer  int           `json:"refused_by_peer"`
	RefusedByBoth  int           `json:"refused_by_both"`
	OtherSize      int           `json:"other_size"`
	Histogram      map[int]int64 `json:"histogram"` // samples by absolute difference
	Promise        string        `json:"promise,omitempty"`
	Broken         int           `json:"broken"`
	Worst          []comparison  `json:"worst,omitempty"` // by mean
	Refused        []comparison  `json:"-"`               // the first few that only one side reads
	all            difference    // of all images
	psnr           []float64     // of each image
	rules          map[string]int
}

// listed is how many of the worst images are named, and how many that one side refuses.
const listed = 5

// profile returns the report of a profile, which the first call creates.
func (r *report) profile(p resize.Profile) *profileReport {
	for _, known := range r.Profiles {
		if known.Profile == p {
			return known
		}
	}
	one := &profileReport{Profile: p, Promise: promiseOf(p, r.Against).text, rules: map[string]int{}}
	r.Profiles = append(r.Profiles, one)
	return one
}

// add adds a comparison. If d is nil, nothing could be compared, and c.Error has the reason.
func (r *report) add(c comparison, d *difference) error {
	p := r.profile(c.Profile)
	if r.Rules == nil {
		r.Rules = map[string]int{}
	}
	if d != nil {
		c.Figures = figuresOf(d)
		r.Compared++
	}
	if !promiseOf(c.Profile, r.Against).kept(c, r.Against) {
		if c.Rule = ruleOf(c); c.Rule == "" {
			r.Broken++
			p.Broken++
		} else {
			r.Rules[c.Rule]++
			p.rules[c.Rule]++
		}
	}
	if d == nil {
		p.refuse(c, r.Against)
	} else {
		p.add(c, d)
	}
	if r.each == nil {
		return nil
	}
	return r.each(c)
}

func (p *profileReport) add(c comparison, d *difference) {
	p.Compared++
	p.all.merge(d)
	p.psnr = append(p.psnr, d.psnr())
	if c.Equal {
		p.Equals++
		return
	}
	p.Worst = append(p.Worst, c)
	slices.SortStableFunc(p.Worst, func(a, b comparison) int { return cmp.Compare(b.Mean, a.Mean) })
	p.Worst = p.Worst[:min(len(p.Worst), listed)]
}

func (p *profileReport) refuse(c comparison, against string) {
	_, ours := c.Error["spool"]
	_, theirs := c.Error[against]
	switch {
	case ours && theirs:
		p.RefusedByBoth++
		if against != turbo || c.Error["spool"] == c.Error[turbo] {
			return // they agree
		}
	case ours:
		p.RefusedBySpool++
	case theirs:
		p.RefusedByPeer++
	default:
		p.OtherSize++
	}
	if len(p.Refused) < listed {
		p.Refused = append(p.Refused, c)
	}
}

// finish computes the totals, after all comparisons.
func (r *report) finish() {
	for _, p := range r.Profiles {
		p.finish()
	}
}

func (p *profileReport) finish() {
	p.Figures = *figuresOf(&p.all)
	p.Histogram = map[int]int64{}
	for i, n := range p.all.counts {
		if n > 0 {
			p.Histogram[i] = n
		}
	}
	if len(p.psnr) > 0 {
		p.PSNRMin, p.PSNRMedian = finite(slices.Min(p.psnr)), finite(bench.Median(p.psnr))
	}
}

// print prints the report for people.
func (r *report) print(w io.Writer) error {
	var versions []string
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		versions = append(versions, name+" "+r.Versions[name])
	}
	work := caseSize(r.spec) + " size, " + r.spec.Filter.String()
	if r.spec.Resizes() || r.spec.CropWidth > 0 {
		work = "to " + caseSize(r.spec) + ", " + r.spec.Filter.String()
	}
	switch {
	case r.random:
		work = "random sizes, filters and boxes"
	case r.sizes:
		work = "own size and to 224x224, " + r.spec.Filter.String()
	}
	with := strings.Join(versions, ", ")
	if r.Python != "" {
		with += "; Python " + r.Python
	}
	fmt.Fprintf(w, "against %s (%s), %s\n\n", r.Against, with, work)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "profile\tcompared\tequal\tmean\tp99\tmax\tPSNR min\tmedian\t")
	for _, p := range r.Profiles {
		fmt.Fprintf(t, "%v\t%d\t%d\t%.4f\t%d\t%d\t%s\t%s\t\n", p.Profile, p.Compared, p.Equals, p.Mean, p.P99, p.Max,
			p.decibel(p.PSNRMin), p.decibel(p.PSNRMedian))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, p := range r.Profiles {
		p.printNotes(w, r.Against)
	}
	if r.JPEG != nil {
		r.printEngines(w)
	}
	return nil
}

func (p *profileReport) decibel(x *float64) string {
	switch {
	case p.Compared == 0:
		return "-"
	case x == nil:
		return "equal"
	}
	return fmt.Sprintf("%.1f dB", *x)
}

func (p *profileReport) printNotes(w io.Writer, against string) {
	var notes []string
	if p.Promise != "" && p.Compared > 0 {
		held := "kept"
		if p.Broken > 0 {
			held = fmt.Sprintf("BROKEN in %d", p.Broken)
		}
		notes = append(notes, fmt.Sprintf("promises %s: %s", p.Promise, held))
	}
	for _, rule := range slices.Sorted(maps.Keys(p.rules)) {
		notes = append(notes, fmt.Sprintf("excused by the rule %s of docs/parity.md: %d", rule, p.rules[rule]))
	}
	if p.RefusedByBoth > 0 {
		notes = append(notes, fmt.Sprintf("refused by both: %d", p.RefusedByBoth))
	}
	for _, n := range []struct {
		who   string
		count int
	}{{"spool", p.RefusedBySpool}, {against, p.RefusedByPeer}} {
		if n.count > 0 {
			notes = append(notes, fmt.Sprintf("refused by %s only: %d", n.who, n.count))
		}
	}
	if p.OtherSize > 0 {
		notes = append(notes, fmt.Sprintf("of another size: %d", p.OtherSize))
	}
	for _, c := range p.Worst {
		notes = append(notes, fmt.Sprintf("%s: mean %.4f, p99 %d, max %d, %.1f dB", c.label(), c.Mean, c.P99, c.Max, *c.PSNR))
	}
	for _, c := range p.Refused {
		for _, side := range slices.Sorted(maps.Keys(c.Error)) {
			notes = append(notes, fmt.Sprintf("%s: %s: %s", c.label(), side, output.OneLine(c.Error[side])))
		}
	}
	if len(notes) > 0 {
		fmt.Fprintf(w, "\n%v\n", p.Profile)
	}
	for _, n := range notes {
		fmt.Fprintf(w, "  %s\n", n)
	}
}

// label names the case.
func (c comparison) label() string {
	name := output.Printable(c.File)
	if c.Size != "" && c.Size != "own" {
		name += " to " + c.Size + " " + c.Filter.String()
	}
	if c.Box != "" {
		name += " of " + c.Box
	}
	return name
}
