package main

import (
	"fmt"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// writePeers is the table of the loaders.
func writePeers(out *strings.Builder, r *bench.Result) {
	w := r.Work
	fmt.Fprintf(out, "%d photos of %.2f megapixels on average (%s) to %dx%d, batches of %d, %d workers, %d pictures a run. Medians of\n"+
		"%d runs, each right after one of spool. %s, %d cores, load %.1f before the first run; commit %.10s, %s.\n",
		w.Pictures, w.Megapixels, w.Set, w.Size, w.Size, w.Batch, w.Workers, w.Pictures*w.Repeat,
		w.Rounds, r.Machine.CPU, r.Machine.Cores, r.Machine.Load, r.Commit, r.Date.UTC().Format("2006-01-02"))
	if r.Verified > 0 {
		fmt.Fprintf(out, "Before that, spool's pixels of %d photos were compared with torchvision's: the same bytes.\n", r.Verified)
	}
	out.WriteString("\n| | pictures/s | spool has | CPU ms a picture | spool takes | first batch, s | peak memory, MB |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, p := range r.Peers {
		label, rate, cpu := labelled(p, version(r, p.Peer)), fmt.Sprintf("%.2fx", p.RateRatio), fmt.Sprintf("1/%.2f", p.CPURatio)
		switch {
		case p.Peer == bench.Spool:
			label, rate, cpu = "**"+label+"**", "", ""
		case p.CPURatio < 1:
			cpu = fmt.Sprintf("%.2fx", 1/p.CPURatio)
		}
		fmt.Fprintf(out, "| %s | %.0f | %s | %.2f | %s | %s | %s |\n", label, p.Rate, rate, p.CPU, cpu, unless0("%.2f", p.TTFB), unless0("%.0f", p.RSS))
	}
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
		"floor": "libjpeg-turbo", "torchvision": "torchvision", "pil": "pillow", "spdl": "spdl", "spdl_items": "spdl",
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
