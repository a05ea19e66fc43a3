package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/bench/codec"
)

// headings are the names of works for people, in the order of publication. SIZE stands for the size of the result.
var headings = []struct{ work, text string }{
	{"images", "Photos to SIZE, for evaluation"},
	{"train", "Photos to SIZE by random resized crop and flip, for training"},
	{"large", "Photos of 12 megapixels to SIZE"},
	{"png", "PNG to SIZE"},
	{"webp", "Lossy WebP to SIZE"},
	{"video", "Clips of 16 frames, evenly sampled, to SIZE"},
	{"videofull", "Every frame of small video to SIZE"},
	{"hd", "Every frame of 720p video to SIZE"},
	{"wav", "WAV, 44.1 kHz stereo of 16 and 24 bits, to 16 kHz mono"},
	{"flac", "FLAC to 16 kHz mono"},
	{"mp3", "MP3 to 16 kHz mono"},
	{"aac", "AAC to 16 kHz mono"},
	{"opus", "Opus to 16 kHz mono"},
	{"objectstore-0", "0 ms"}, {"objectstore-20", "20 ms"}, {"objectstore-50", "50 ms"}, {"objectstore-100", "100 ms"},
	{"objectstore-200", "200 ms"},
	{"objectstore-get", "the cost of a GET"},
}

// units are the items that are counted, by kind of files.
var units = map[string]struct{ one, many, first string }{
	"":          {"an image", "images", "batch"},
	bench.Video: {"a frame", "frames", "file"},
	bench.Audio: {"a second of audio", "seconds of audio", "file"},
}

type profile struct{ peer, column string }

// profiles are spool's contestants that have a column, in the order of columns. That of bench.Loader is its class.
var profiles = []profile{
	{bench.Spool, "exact"}, {"spool_nchw", "exact, NCHW"}, {"spool_pillow", "pillow"}, {"spool_fast", "fast"},
	{bench.Loader, ""}, {"spool_dataloader", "collate"}, {"spool_threads", "threads"},
	{"spool_transform", "transform"},
}

// writeTables writes all measurements.
func (m *measured) writeTables(out *strings.Builder) {
	writeSummary(out, m.files)
	fmt.Fprintf(out, "\nThe same works in full. What a dollar pays for is derived from CPU time, at $%.2f for an hour of "+
		"a core.\n\n", bench.CoreHour)
	for i, t := range m.files {
		if i > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(out, "%s.\nFigures are medians. Ratios are medians over pairs of runs right after one another, on the "+
			"same files: how many times the\n"+
			"others' rate spool has, by profile.\n", upper(where(t)))
		for _, row := range t.Rows {
			writeWork(out, row.Result, row.Comparison)
		}
		if len(t.Missing) > 0 {
			fmt.Fprintf(out, "\n%s\n", missing(t))
		}
	}
	m.elsewhere.write(out, m.files)
	m.stores.write(out, filepath.Base(figure))
	writeSteps(out, m.gobench.Commit, m.steps)
	writeCodecs(out, m.gobench, m.codecs)
}

// where describes the commit, the dates and the machine of a table.
func where(t bench.Table) string {
	var days, loads []string
	for _, row := range t.Rows {
		if day := row.Result.Date.UTC().Format("2006-01-02"); !slices.Contains(days, day) {
			days = append(days, day)
		}
		if load := fmt.Sprintf("%.2f", row.Result.Machine.Load); !slices.Contains(loads, load) {
			loads = append(loads, load)
		}
	}
	noisy := ""
	if busy(t) {
		noisy = "; **noisy, the machine was busy**"
	}
	m := t.Rows[0].Result.Machine
	build := t.Rows[0].Result.Build
	if build != "" {
		build = ", with " + build
	}
	return fmt.Sprintf("commit %s%s, %s, on %s, %d cores, load %s before the first run%s", shortened(t.Commit), build,
		strings.Join(days, " and "), m.CPU, m.Cores, strings.Join(loads, " and "), noisy)
}

// busy reports whether the machine had other work before a run of a table.
func busy(t bench.Table) bool {
	return slices.ContainsFunc(t.Rows, func(row bench.Row) bool { return row.Result.Machine.Load > bench.Quiet })
}

// shortened returns a commit's short name, and whether there were changes.
func shortened(commit string) string {
	name, _, changed := strings.Cut(commit, "+")
	name = name[:min(10, len(name))]
	if changed {
		name += " with uncommitted changes"
	}
	return name
}

// missing names the works that have no row in a table.
func missing(t bench.Table) string {
	var works []string
	for _, name := range t.Missing {
		works = append(works, heading(bench.Work{Name: name, Size: 224}))
	}
	return fmt.Sprintf("Not measured at commit %s: %s.", shortened(t.Commit), strings.Join(works, "; "))
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// writeWork writes the table of the loaders in one work.
func writeWork(out *strings.Builder, r *bench.Result, c bench.Comparison) {
	w := c.Work
	unit := units[w.Kind]
	fmt.Fprintf(out, "\n**%s.** ", heading(w))
	if w.Kind == "" {
		fmt.Fprintf(out, "%d images of %.2f megapixels on average (%s), batches of %d, ", w.Files, w.Megapixels, w.Set,
			w.Batch)
	} else {
		files := "files"
		if w.Files == 1 {
			files = "file"
		}
		fmt.Fprintf(out, "%d %s (%s), ", w.Files, files, w.Set)
	}
	fmt.Fprintf(out, "%d workers, %d %s a run, %d runs.\n", w.Workers, itemsOf(c), unit.many, w.Rounds)
	if len(c.Checks) > 0 {
		var checks []string
		for _, check := range c.Checks {
			checks = append(checks, fmt.Sprintf("%s: %d files, at most %.2g (%.2g allowed)", check.What, check.Files,
				check.Worst, check.Bound))
		}
		fmt.Fprintf(out, "Differences before the first run: %s.\n", strings.Join(checks, "; "))
	}
	head, rule := "\n| | "+unit.many+"/s |", "|---|--:|"
	var columns []string
	for _, p := range profiles {
		if slices.ContainsFunc(c.Duels, func(d bench.Duel) bool { return d.Own == p.peer && d.Ratio > 0 }) {
			columns = append(columns, p.peer)
			head, rule = head+" "+profileOf(p.peer, w.Kind)+" has |", rule+"--:|"
		}
	}
	counted := slices.ContainsFunc(c.Contestants, func(s bench.Summary) bool { return s.Moved != (bench.Moved{}) })
	head, rule = head+" CPU ms "+unit.one+" | millions for $1 |", rule+"--:|--:|"
	if counted {
		head, rule = head+" KB read | KB out | page faults |", rule+"--:|--:|--:|"
	}
	fmt.Fprintln(out, head+" first "+unit.first+", s | peak memory, MB |\n"+rule+"--:|--:|")
	for _, p := range c.Contestants {
		label := labelled(p, version(r, p.Peer))
		if strings.HasPrefix(p.Peer, bench.Spool) {
			label = "**" + label + "**"
		}
		fmt.Fprintf(out, "| %s | %.0f |", label, p.Rate)
		for _, own := range columns {
			fmt.Fprintf(out, " %s |", ratio(c, own, p.Peer))
		}
		fmt.Fprintf(out, " %.2f | %s |", p.CPU, twoDigits(bench.MillionsForADollar(p.CPU)))
		if counted {
			fmt.Fprintf(out, " %s | %s | %s |", unless0("%.1f", p.Read), unless0("%.1f", p.Out), unless0("%.1f", p.Faults))
		}
		fmt.Fprintf(out, " %s | %s |\n", unless0("%.2f", p.TTFB), unless0("%.0f", p.RSS))
	}
	var missed []string
	for _, d := range c.Duels {
		if !d.Held() {
			missed = append(missed, fmt.Sprintf("%s beside %s (%s)", of(c, d.Own).Label, of(c, d.Other).Label,
				twoDigits(d.Goal)))
		}
	}
	if len(missed) > 0 {
		fmt.Fprintf(out, "\nGoals missed, and the ratio that each asks for: %s.\n", strings.Join(missed, "; "))
	}
}

// heading returns the name of a work for people.
func heading(w bench.Work) string {
	for _, h := range headings {
		if h.work == w.Name {
			return strings.ReplaceAll(h.text, "SIZE", fmt.Sprintf("%dx%d", w.Size, w.Size))
		}
	}
	return w.Name
}

// itemsOf returns the number of items in a run.
func itemsOf(c bench.Comparison) int {
	if c.Work.Kind == "" || len(c.Pairs) == 0 {
		return c.Work.Files * c.Work.Repeat
	}
	return int(c.Pairs[0].Own.Items)
}

// ratio returns the ratio of a profile's duel with another contestant; empty if there was none.
func ratio(c bench.Comparison, own, other string) string {
	for _, d := range c.Duels {
		if d.Own == own && d.Other == other && d.Ratio > 0 {
			if d.Low > 0 {
				return fmt.Sprintf("%sx (%s to %s)", twoDigits(d.Ratio), twoDigits(d.Low), twoDigits(d.High))
			}
			return twoDigits(d.Ratio) + "x"
		}
	}
	return ""
}

// labelled adds the version to the name: "SPDL 0.8.0, batches".
func labelled(p bench.Summary, version string) string {
	if version == "" {
		return p.Label
	}
	name, how, found := strings.Cut(p.Label, ",")
	if found {
		how = "," + how
	}
	return name + " " + version + how
}

// version returns the release of a contestant.
func version(r *bench.Result, peer string) string {
	return r.Versions[map[string]string{
		"floor": "libjpeg-turbo", "floor_png": "libpng", "floor_yuv": "libwebp", "torchvision": "torchvision",
		"pil": "pillow", "spdl": "spdl", "spdl_items": "spdl",
		"dali": "nvidia-dali-cuda120", "cv2": "opencv-python-headless", "cv2_area": "opencv-python-headless",
		"cv2_reduced": "opencv-python-headless",
		"pil_draft":   "pillow", "vips": "pyvips",
		"floor_video": "FFmpeg", "torchcodec": "torchcodec", "decord": "decord", "pyav": "av", "spdl_media": "spdl",
	}[peer]]
}

// twoDigits formats a ratio with two significant digits, since its spread allows no more; empty for 0.
func twoDigits(ratio float64) string {
	if ratio <= 0 {
		return ""
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(ratio, 'e', 1, 64), 64) // cannot fail
	decimals := max(0, 1-int(math.Floor(math.Log10(rounded))))
	return strconv.FormatFloat(rounded, 'f', decimals, 64)
}

func unless0(format string, v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}

// writeSteps writes the table of the cost of a photo, compared with bare libjpeg-turbo.
func writeSteps(out *strings.Builder, commit string, measured map[string]map[string]float64) {
	var rows []string
	for _, step := range []struct{ name, label, one, two, unit string }{
		{"Photos/floor-planar", "bare libjpeg-turbo, planes only", "goroutines=1", "goroutines=2", "x-floor"},
		{"Photos/decode", "decode", "goroutines=1", "goroutines=2", "x-floor"},
		{"Photos/resize-224", "decode, resize to 224x224", "goroutines=1", "goroutines=2", "x-floor"},
		{"Photos/tensor-224", "the same as normalised planes of float32", "goroutines=1", "goroutines=2", "x-floor"},
		{"Loader", "the whole loader, from files to batches, in CPU time", "workers=1", "workers=2", "x-floor-cpu"},
	} {
		one, two := measured[step.name+"/"+step.one][step.unit], measured[step.name+"/"+step.two][step.unit]
		if one > 0 && two > 0 {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", step.label, twoDigits(one), twoDigits(two)))
		}
	}
	if len(rows) > 0 {
		out.WriteString("\nWhat a photo costs, as a multiple of bare libjpeg-turbo to RGB (`go test -bench . ./bench`; " +
			"commit " +
			shortened(commit) + "):\n\n" +
			"| | one goroutine | two |\n|---|--:|--:|\n" + strings.Join(rows, ""))
	}
}

// writeCodecs writes the table of the cost of an image of each format, compared with its bare library. The versions are
// those that were measured, not those that this program is linked with.
func writeCodecs(out *strings.Builder, r bench.Result, measured map[string]map[string]float64) {
	steps := []string{"decode", "decode+exact", "decode+pillow", "decode+fast", "decode+tensor"}
	var rows []string
	for _, c := range codec.All() {
		library, _, _ := strings.Cut(c.Floor(), " ")
		cells, found := []string{"", c.Name, strings.TrimSpace(library + " " + r.Versions[library])}, false
		for _, step := range steps {
			x := measured["Codec/"+c.Name+"/"+step]["x-floor"]
			cells = append(cells, twoDigits(x))
			found = found || x > 0
		}
		if found {
			rows = append(rows, strings.TrimSpace(strings.Join(append(cells, ""), " | "))+"\n")
		}
	}
	if len(rows) > 0 {
		out.WriteString("\nWhat an image of each format costs, as a multiple of the bare library to RGB (`go test -bench " +
			". ./bench/codec`; commit " +
			shortened(r.Commit) + "):\n\n" +
			"| | library | decode | to 224x224, exact | pillow | fast | normalised planes of float32 " +
			"|\n|---|---|--:|--:|--:|--:|--:|\n" + strings.Join(rows, ""))
	}
}
