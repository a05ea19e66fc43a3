package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/bench/codec"
)

// headings are what each work is, for people.
var headings = map[string]string{
	"images": "Photos to %[1]s, for evaluation",
	"train":  "Photos to %[1]s by random resized crop and flip, for training",
	"large":  "Photos of 12 megapixels to %[1]s",
	"png":    "PNG to %[1]s",
	"webp":   "Lossy WebP to %[1]s",
}

// profiles are spool's contestants that have a column, in its order.
var profiles = []struct{ peer, column string }{{bench.Spool, "exact"}, {"spool_pillow", "pillow"}, {"spool_fast", "fast"}}

// writeResult is all tables of the loaders, and what holds for each.
func writeResult(out *strings.Builder, r *bench.Result) {
	fmt.Fprintf(out, "%s, %d cores, load %.1f before the first run; commit %.10s, %s. Figures are medians; ratios are medians over pairs of\n"+
		"runs right after one another, on the same files: how many times the others' rate spool has, by profile.\n",
		r.Machine.CPU, r.Machine.Cores, r.Machine.Load, r.Commit, r.Date.UTC().Format("2006-01-02"))
	for _, c := range r.Works {
		writeWork(out, r, c)
	}
}

// writeWork is the table of the loaders in one work.
func writeWork(out *strings.Builder, r *bench.Result, c bench.Comparison) {
	w := c.Work
	fmt.Fprintf(out, "\n**"+headings[w.Name]+".** %[2]d pictures of %.2[3]f megapixels on average (%[4]s), batches of %[5]d, %[6]d workers, %[7]d pictures a run, %[8]d runs.\n",
		fmt.Sprintf("%dx%d", w.Size, w.Size), w.Pictures, w.Megapixels, w.Set, w.Batch, w.Workers, w.Pictures*w.Repeat, w.Rounds)
	if c.Verified > 0 {
		out.WriteString("Before that, the pixels of profile exact were compared with torchvision's: the same bytes.\n")
	}
	head, rule := "\n| | pictures/s |", "|---|--:|"
	var columns []string
	for _, p := range profiles {
		if slices.ContainsFunc(c.Duels, func(d bench.Duel) bool { return d.Own == p.peer && d.Ratio > 0 }) {
			columns = append(columns, p.peer)
			head, rule = head+" "+p.column+" has |", rule+"--:|"
		}
	}
	fmt.Fprintln(out, head+" CPU ms a picture | first batch, s | peak memory, MB |\n"+rule+"--:|--:|--:|")
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

// ratio is what a profile's duel with another contestant came to, empty when there was none.
func ratio(c bench.Comparison, own, other string) string {
	for _, d := range c.Duels {
		if d.Own == own && d.Other == other && d.Ratio > 0 {
			return fmt.Sprintf("%.2fx", d.Ratio)
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
		"dali": "nvidia-dali-cuda120", "cv2": "opencv-python-headless", "cv2_area": "opencv-python-headless",
	}[peer]]
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
			rows = append(rows, fmt.Sprintf("| %s | %.2f | %.2f |\n", step.label, one, two))
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
			cells = append(cells, unless0("%.2f", x))
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
