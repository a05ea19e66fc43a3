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

// headings are what each work is, for people, in the order of listing; SIZE stands for that of the result.
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
}

// units are what is counted of each kind of files.
var units = map[string]struct{ one, many, first, verified string }{
	"":      {"picture", "pictures", "batch", "the pixels of profile exact were compared with torchvision's: the same bytes"},
	"video": {"frame", "frames", "file", "frames of profile exact at their own size were compared with torchcodec's: the same bytes"},
	"audio": {"second of sound", "seconds of sound", "file", "the sound was compared with torchcodec's: a rms of at most 0.003"},
}

type profile struct{ peer, column string }

// profiles are spool's contestants that have a column, in its order.
var profiles = []profile{
	{bench.Spool, "exact"}, {"spool_nchw", "exact, NCHW"}, {"spool_pillow", "pillow"}, {"spool_fast", "fast"},
	{"spool_loader", "ImageLoader"}, {"spool_dataloader", "collate"}, {"spool_threads", "threads"},
}

// writeTables is everything that was measured.
func writeTables(out *strings.Builder, current []*bench.Result, steps, codecs map[string]map[string]float64) {
	first := true
	for _, r := range current {
		if !slices.ContainsFunc(r.Works, local) {
			continue
		}
		if !first {
			out.WriteString("\n")
		}
		first = false
		writeResult(out, r)
	}
	storesOf(current).write(out, filepath.Base(figure))
	writeSteps(out, steps)
	writeCodecs(out, codecs)
}

// writeResult is all tables of the loaders, and what holds for each.
func writeResult(out *strings.Builder, r *bench.Result) {
	if r.Machine.Load >= bench.Quiet {
		out.WriteString("**These figures are noisy: the machine was busy.** ")
	}
	fmt.Fprintf(out, "%s, %d cores, load %.1f before the first run; commit %.10s, %s. Figures are medians; ratios are medians over pairs of\n"+
		"runs right after one another, on the same files: how many times the others' rate spool has, by profile.\n",
		r.Machine.CPU, r.Machine.Cores, r.Machine.Load, r.Commit, r.Date.UTC().Format("2006-01-02"))
	for _, c := range r.Works {
		if local(c) {
			writeWork(out, r, c)
		}
	}
}

// local tells works on files from those on a store.
func local(c bench.Comparison) bool {
	return c.Work.Kind != bench.Remote && c.Work.Kind != bench.Requests
}

// writeWork is the table of the loaders in one work.
func writeWork(out *strings.Builder, r *bench.Result, c bench.Comparison) {
	w := c.Work
	unit := units[w.Kind]
	fmt.Fprintf(out, "\n**%s.** ", heading(w))
	if w.Kind == "" {
		fmt.Fprintf(out, "%d pictures of %.2f megapixels on average (%s), batches of %d, ", w.Pictures, w.Megapixels, w.Set, w.Batch)
	} else {
		files := "files"
		if w.Pictures == 1 {
			files = "file"
		}
		fmt.Fprintf(out, "%d %s (%s), ", w.Pictures, files, w.Set)
	}
	fmt.Fprintf(out, "%d workers, %d %s a run, %d runs.\n", w.Workers, itemsOf(c), unit.many, w.Rounds)
	switch {
	case len(c.Checks) > 0:
		var checks []string
		for _, check := range c.Checks {
			checks = append(checks, fmt.Sprintf("%s: %d files, at most %.2g (%.2g allowed)", check.What, check.Files, check.Worst, check.Bound))
		}
		fmt.Fprintf(out, "Differences before the first run: %s.\n", strings.Join(checks, "; "))
	case c.Verified > 0:
		fmt.Fprintf(out, "Before that, %s.\n", unit.verified)
	}
	head, rule := "\n| | "+unit.many+"/s |", "|---|--:|"
	var columns []string
	for _, p := range profiles {
		if slices.ContainsFunc(c.Duels, func(d bench.Duel) bool { return d.Own == p.peer && d.Ratio > 0 }) {
			columns = append(columns, p.peer)
			head, rule = head+" "+p.column+" has |", rule+"--:|"
		}
	}
	fmt.Fprintln(out, head+" CPU ms a "+unit.one+" | first "+unit.first+", s | peak memory, MB |\n"+rule+"--:|--:|--:|")
	for _, p := range c.Contestants {
		label := labelled(p, version(r, p.Peer))
		if strings.HasPrefix(p.Peer, bench.Spool) {
			label = "**" + label + "**"
		}
		fmt.Fprintf(out, "| %s | %.0f |", label, p.Rate)
		for _, own := range columns {
			fmt.Fprintf(out, " %s |", ratio(c, own, p.Peer))
		}
		fmt.Fprintf(out, " %.2f | %s | %s |\n", p.CPU, unless0("%.2f", p.TTFB), unless0("%.0f", p.RSS))
	}
}

// heading is what a work is.
func heading(w bench.Work) string {
	for _, h := range headings {
		if h.work == w.Name {
			return strings.ReplaceAll(h.text, "SIZE", fmt.Sprintf("%dx%d", w.Size, w.Size))
		}
	}
	return w.Name
}

// itemsOf is how many items a run has.
func itemsOf(c bench.Comparison) int {
	if c.Work.Kind == "" || len(c.Pairs) == 0 {
		return c.Work.Pictures * c.Work.Repeat
	}
	return int(c.Pairs[0].Own.Items)
}

// ratio is what a profile's duel with another contestant came to, empty when there was none.
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

// labelled puts the version behind the name: "SPDL 0.8.0, batches".
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

// version is the release of a contestant.
func version(r *bench.Result, peer string) string {
	return r.Versions[map[string]string{
		"floor": "libjpeg-turbo", "floor_png": "libpng", "floor_yuv": "libwebp", "torchvision": "torchvision", "pil": "pillow", "spdl": "spdl", "spdl_items": "spdl",
		"dali": "nvidia-dali-cuda120", "cv2": "opencv-python-headless", "cv2_area": "opencv-python-headless", "cv2_reduced": "opencv-python-headless",
		"pil_draft": "pillow", "vips": "pyvips",
		"floor_video": "FFmpeg", "torchcodec": "torchcodec", "decord": "decord", "pyav": "av", "spdl_media": "spdl",
	}[peer]]
}

// twoDigits is a ratio with two significant digits, which is what its spread allows; empty for 0.
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

// writeSteps is the table of what a photo costs beside bare libjpeg-turbo.
func writeSteps(out *strings.Builder, measured map[string]map[string]float64) {
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
		out.WriteString("\nWhat a photo costs, as a multiple of bare libjpeg-turbo to RGB (`go test -bench . ./bench`):\n\n" +
			"| | one goroutine | two |\n|---|--:|--:|\n" + strings.Join(rows, ""))
	}
}

// writeCodecs is the table of what a picture of each format costs beside its bare library.
func writeCodecs(out *strings.Builder, measured map[string]map[string]float64) {
	steps := []string{"decode", "decode+exact", "decode+pillow", "decode+fast", "decode+tensor"}
	var rows []string
	for _, c := range codec.All() {
		cells, found := []string{"", c.Name, c.Floor()}, false
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
		out.WriteString("\nWhat a picture of each format costs, as a multiple of the bare library to RGB (`go test -bench . ./bench/codec`):\n\n" +
			"| | library | decode | to 224x224, exact | pillow | fast | normalised planes of float32 |\n|---|---|--:|--:|--:|--:|--:|\n" + strings.Join(rows, ""))
	}
}
