package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// gpu has what bench/gpu.sh measured on a GPU.
type gpu struct {
	date, commit string
	copies       []deviceCopy
	kernels      map[string]map[string]float64 // by benchmark and unit
}

// deviceCopy is a line of copies.jsonl (bench/copies.Result).
type deviceCopy struct {
	Step       string
	Bytes      int
	GBPerS     float64 `json:"gb_per_s"`
	FloorRatio float64 `json:"floor_ratio"`
	Hidden     float64
	Engine     string
}

// readGPUs reads each gpu-DATE-COMMIT.jsonl of a folder, and gpu-DATE-COMMIT.txt, the output of the benchmarks of the
// kernels. It returns the newest result of each GPU, the newest first.
func readGPUs(results string) (list gpus, err error) {
	files, err := filepath.Glob(filepath.Join(results, "gpu-*.jsonl"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, file := range slices.Backward(files) {
		g, err := readGPU(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if !slices.ContainsFunc(list, func(newer *gpu) bool { return newer.model() == g.model() }) {
			list = append(list, g)
		}
	}
	return list, nil
}

func readGPU(file string) (*gpu, error) {
	name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
	parts := strings.Split(name, "-")
	if len(parts) != 5 {
		return nil, errors.New("not gpu-YYYY-MM-DD-COMMIT")
	}
	g := &gpu{date: strings.Join(parts[1:4], "-"), commit: parts[4]}
	lines, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(bytes.NewReader(lines)); decoder.More(); {
		var c deviceCopy
		if err := decoder.Decode(&c); err != nil {
			return nil, err
		}
		g.copies = append(g.copies, c)
	}
	printed, err := os.ReadFile(strings.TrimSuffix(file, ".jsonl") + ".txt")
	if err != nil {
		return nil, err
	}
	g.kernels, err = bench.ReadGo(bytes.NewReader(printed), module+"/cbridge/cuda/kernels")
	return g, err
}

// model returns the name of the GPU.
func (g *gpu) model() string {
	i := slices.IndexFunc(g.copies, func(c deviceCopy) bool { return c.Step == "bare-h2d" })
	if i < 0 {
		return ""
	}
	return g.copies[i].Engine
}

// step returns a step's figures for batches of a size; zero if it was not measured.
func (g *gpu) step(name string, size int) deviceCopy {
	i := slices.IndexFunc(g.copies, func(c deviceCopy) bool { return c.Step == name && c.Bytes == size })
	if i < 0 {
		return deviceCopy{}
	}
	return g.copies[i]
}

// gpus are the results of several GPUs.
type gpus []*gpu

// write writes the tables of docs/transfer.md.
func (l gpus) write(out *strings.Builder) {
	if len(l) == 0 {
		out.WriteString("No result is recorded yet.\n")
	}
	for i, g := range l {
		if i > 0 {
			out.WriteString("\n")
		}
		g.write(out)
	}
}

func (g *gpu) write(out *strings.Builder) {
	fmt.Fprintf(out, "On %s, at commit %s, %s:\n\n", g.model(), g.commit, g.date)
	out.WriteString("| a batch of | the bare driver's copy | spool's, of that rate | from plain memory | " +
		"copies hidden |\n" +
		"|---|--:|--:|--:|--:|\n")
	for _, c := range g.copies {
		if c.Step != "bare-h2d" {
			continue
		}
		own, plain, both := g.step("h2d", c.Bytes), g.step("h2d-pageable", c.Bytes), g.step("overlap", c.Bytes)
		fmt.Fprintf(out, "| %d MiB | %.0f GB/s | %.2f | %.2f | %.2f |\n", c.Bytes>>20, c.GBPerS, 1/own.FloorRatio,
			1/plain.FloorRatio, both.Hidden)
	}
	out.WriteString("\n| kernel | of the memory's bandwidth | of the driver's copy |\n|---|--:|--:|\n")
	for _, k := range []struct{ name, text string }{
		{"Normalize/float16", "normalize to float16"},
		{"Normalize/bfloat16", "normalize to bfloat16"},
		{"Normalize/float32", "normalize to float32"},
		{"Normalize/float16-flipped", "normalize to float16, flipped"},
		{"Normalize/float16-odd", "normalize to float16, of an odd width"},
		{"Frames/nv12-uint8", "NV12 to RGB"},
		{"Frames/nv12-float16", "NV12 to normalized float16"},
		{"Frames/p010-uint8", "P010 to RGB"},
	} {
		share, copied := g.kernels[k.name]["of-memory"], "–"
		if c := g.kernels[k.name]["of-copy"]; c > 0 {
			copied = fmt.Sprintf("%.2f", c)
		}
		if share > 0 {
			fmt.Fprintf(out, "| %s | %.2f | %s |\n", k.text, share, copied)
		}
	}
}
