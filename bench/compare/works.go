package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// work is a task of contestants, with the pairs that are compared.
type work struct {
	name    string
	command string // the subcommand of spool bench and of peers.py
	kind    string // video or audio; empty for images
	pattern string // glob of its files in the folder of media
	batch   int    // images in a batch; 0 for the configured number
	duels   []bench.Duel
}

// Kinds of files other than images.
const (
	video = bench.Video
	audio = bench.Audio
)

// works returns all works. bench/goals.json has their goals.
func works() []work {
	return []work{
		{name: "images", command: "images", pattern: "photos/*.jpg", duels: duels(
			"spool/floor", "spool_pillow/floor", "spool_fast/floor", "spool/spool_1", "spool_nchw/torchvision",
			"spool_pillow/pil", "spool/spdl", "spool_fast/spdl",
			"spool/spdl_items", "spool/dali", "spool/cv2", "spool_fast/cv2", "spool/cv2_area", "spool_loader/spool",
			"spool_loader/torchvision", "spool_loader/spdl",
			"spool_loader/dali", "spool_loader/cv2", "spool_loader/cv2_area", "spool_dataloader/torchvision",
			"spool_threads/torchvision", "spool_transform/torchvision")},
		{name: "train", command: "train", pattern: "photos/*.jpg", duels: duels(
			"spool/spool_1", "spool_nchw/torchvision", "spool/pil", "spool/dali", "spool_loader/spool",
			"spool_loader/torchvision", "spool_loader/pil", "spool_loader/dali",
			"spool_dataloader/torchvision")},
		{name: "large", command: "images", pattern: "large/*.jpg", batch: 4, duels: duels(
			"spool/floor", "spool_fast/floor", "spool_nchw/torchvision", "spool/spdl", "spool_fast/spdl", "spool_fast/pil_draft",
			"spool_fast/cv2_reduced", "spool_fast/vips")},
		{name: "png", command: "images", pattern: "formats/*.png", duels: duels(
			"spool/floor_png", "spool_nchw/torchvision", "spool_pillow/pil", "spool/cv2", "spool/cv2_area")},
		{name: "webp", command: "images", pattern: "formats/*.webp", duels: duels(
			"spool/floor_yuv", "spool_fast/floor_yuv", "spool_nchw/torchvision", "spool_pillow/pil", "spool_fast/cv2",
			"spool_fast/cv2_area")},
		{name: "video", command: "video", kind: video, pattern: "video/clip*.mp4", duels: duels(
			"spool/torchcodec", "spool_fast/torchcodec", "spool_fast/decord", "spool_fast/pyav", "spool_fast/spdl_media",
			"spool_loader/spool",
			"spool_loader/torchcodec", "spool_loader/decord")},
		{name: "videofull", command: "videofull", kind: video, pattern: "video/clip*.mp4", duels: duels(
			"spool_fast/floor_video", "spool/torchcodec", "spool_fast/torchcodec", "spool_fast/decord", "spool_fast/spdl_media",
			"spool_fast/pyav")},
		{name: "hd", command: "videofull", kind: video, pattern: "video/hd.mp4", duels: duels(
			"spool_fast/floor_video", "spool_fast/torchcodec", "spool_fast/decord")},
		{name: "wav", command: "audio", kind: audio, pattern: "audio/pcm*.wav", duels: ofAudio},
		{name: "mp3", command: "audio", kind: audio, pattern: "audio/a.mp3", duels: ofAudio},
		{name: "flac", command: "audio", kind: audio, pattern: "audio/a.flac", duels: ofAudio},
		{name: "aac", command: "audio", kind: audio, pattern: "audio/a.m4a", duels: ofAudio},
		{name: "opus", command: "audio", kind: audio, pattern: "audio/a.opus", duels: ofAudio},
	}
}

var ofAudio = duels("spool/torchcodec", "spool/spdl_media")

// duels parses pairs of contestants, OWN/OTHER.
func duels(pairs ...string) (all []bench.Duel) {
	for _, p := range pairs {
		own, other, _ := strings.Cut(p, "/")
		all = append(all, bench.Duel{Own: own, Other: other})
	}
	return all
}

// files returns the files of a work, in the folder of generated media.
func (s *settings) files(w work) (bench.Set, error) {
	set := bench.Set{Name: "generated " + w.pattern, Glob: filepath.Join(s.media, w.pattern)}
	var err error
	if set.Files, err = filepath.Glob(set.Glob); err != nil {
		return set, err
	}
	if len(set.Files) == 0 {
		return set, fmt.Errorf("no files at %s: make bench-media writes them", set.Glob)
	}
	slices.Sort(set.Files)
	return set, nil
}

// selected returns the configured works.
func (s *settings) selected() (chosen []work, err error) {
	all := works()
	for name := range strings.SplitSeq(s.works, ",") {
		i := slices.IndexFunc(all, func(w work) bool { return w.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no work %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// partial reports whether some of the contestants are left out.
func (s *settings) partial() bool { return s.python == "" || s.names != "" }

// duelsOf returns the duels of a work whose contestants can run and are selected.
func (s *settings) duelsOf(w work) ([]bench.Duel, error) {
	var names []string
	if s.names != "" {
		names = strings.Split(s.names, ",")
	}
	known := all()
	for _, name := range names {
		if _, ok := known[name]; !ok {
			return nil, fmt.Errorf("there is no contestant %q", name)
		}
	}
	var chosen []bench.Duel
	for _, d := range w.duels {
		selected := len(names) == 0 || slices.Contains(names, d.Other)
		if selected && (s.python != "" || !known[d.Own].peer && !known[d.Other].peer) {
			d.Goal = s.required.Of(w.name, d)
			chosen = append(chosen, d)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("no contestant to compare spool with")
	}
	return chosen, nil
}
