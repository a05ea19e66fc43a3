package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// work is what contestants do in a comparison, and who is compared with whom.
type work struct {
	name    string
	command string // of spool bench and of peers.py
	kind    string // of files: video or audio; empty: pictures
	files   func() (bench.Set, error)
	random  bool // its pixels cannot be compared
	batch   int  // instead of what the others have, where pictures are large
	share   int  // of the pictures of a run that the others have: one in so many; 0 is all
	duels   []bench.Duel
}

// works are all that there are. The goals are those that the project has set itself.
func works() []work {
	return []work{
		{name: "images", command: "images", files: photos, duels: []bench.Duel{
			{Own: "spool", Other: "floor", Goal: 0.85},
			{Own: "spool_pillow", Other: "floor", Goal: 0.72},
			{Own: "spool_fast", Other: "floor"},
			{Own: "spool", Other: "spool_1", Goal: 1.9},
			{Own: "spool", Other: "torchvision", Goal: 2.9},
			{Own: "spool_fast", Other: "torchvision", Goal: 3.2},
			{Own: "spool_pillow", Other: "pil"},
			{Own: "spool", Other: "spdl", Goal: 4},
			{Own: "spool_fast", Other: "spdl", Goal: 4.4},
			{Own: "spool", Other: "spdl_items"},
			{Own: "spool", Other: "dali", Goal: 5},
			{Own: "spool", Other: "cv2", Goal: 1.9},
			{Own: "spool_fast", Other: "cv2", Goal: 2.1},
			{Own: "spool", Other: "cv2_area", Goal: 3.4},
		}},
		{name: "train", command: "train", files: photos, random: true, duels: []bench.Duel{
			{Own: "spool", Other: "spool_1"},
			{Own: "spool", Other: "torchvision", Goal: 4.2},
			{Own: "spool", Other: "pil"},
			{Own: "spool", Other: "dali", Goal: 4.2},
		}},
		{name: "large", command: "images", files: large, batch: 4, share: 16, duels: []bench.Duel{
			{Own: "spool", Other: "floor"},
			{Own: "spool_fast", Other: "floor"},
			{Own: "spool", Other: "torchvision", Goal: 2.5},
			{Own: "spool_fast", Other: "torchvision", Goal: 7},
			{Own: "spool", Other: "spdl", Goal: 1.8},
			{Own: "spool_fast", Other: "spdl", Goal: 5},
		}},
		{name: "png", command: "images", files: formats("*.png"), duels: []bench.Duel{
			{Own: "spool", Other: "floor_png"},
			{Own: "spool", Other: "torchvision", Goal: 2},
			{Own: "spool_pillow", Other: "pil"},
			{Own: "spool", Other: "cv2", Goal: 2},
			{Own: "spool", Other: "cv2_area"},
		}},
		{name: "webp", command: "images", files: formats("?.webp"), duels: []bench.Duel{
			{Own: "spool", Other: "floor_yuv"},
			{Own: "spool_fast", Other: "floor_yuv", Goal: 0.9},
			{Own: "spool", Other: "torchvision"},
			{Own: "spool_fast", Other: "torchvision", Goal: 1.25},
			{Own: "spool_pillow", Other: "pil"},
			{Own: "spool_fast", Other: "cv2", Goal: 1},
			{Own: "spool_fast", Other: "cv2_area"},
		}},
		{name: "video", command: "video", kind: video, files: media("video/clip*.mp4"), share: 128, duels: []bench.Duel{
			{Own: "spool", Other: "torchcodec"},
			{Own: "spool_fast", Other: "torchcodec", Goal: 1.5},
			{Own: "spool_fast", Other: "decord", Goal: 1.5},
			{Own: "spool_fast", Other: "pyav", Goal: 1.5},
			{Own: "spool_fast", Other: "spdl_media"},
		}},
		{name: "videofull", command: "videofull", kind: video, files: media("video/clip*.mp4"), share: 128, duels: []bench.Duel{
			{Own: "spool_fast", Other: "floor_video", Goal: 0.75},
			{Own: "spool", Other: "torchcodec"},
			{Own: "spool_fast", Other: "torchcodec", Goal: 2.8},
			{Own: "spool_fast", Other: "decord", Goal: 1.8},
			{Own: "spool_fast", Other: "spdl_media", Goal: 2.6},
			{Own: "spool_fast", Other: "pyav"},
		}},
		{name: "hd", command: "videofull", kind: video, files: media("video/hd.mp4"), share: 512, duels: []bench.Duel{
			{Own: "spool_fast", Other: "floor_video", Goal: 0.82},
			{Own: "spool_fast", Other: "torchcodec"},
			{Own: "spool_fast", Other: "decord"},
		}},
		sounds("wav", "audio/pcm*.wav", 4),
		sounds("mp3", "audio/a.mp3", 2),
		sounds("flac", "audio/a.flac", 2),
		sounds("aac", "audio/a.m4a", 2),
		sounds("opus", "audio/a.opus", 1.3),
	}
}

// Kinds of files beside pictures.
const (
	video = "video"
	audio = "audio"
)

// sounds is loading whole files of sound, which is to be so many times faster than by others.
func sounds(name, pattern string, goal float64) work {
	return work{name: name, command: "audio", kind: audio, files: media(pattern), share: 24, duels: []bench.Duel{
		{Own: "spool", Other: "torchcodec", Goal: goal},
		{Own: "spool", Other: "spdl_media", Goal: goal},
	}}
}

// photos are those of ImageNet's size.
func photos() (bench.Set, error) {
	sets, err := bench.Photos(".")
	if err != nil {
		return bench.Set{}, err
	}
	return sets[0], nil
}

// large are the shared photos of 12 megapixels.
func large() (bench.Set, error) { return shared("large/*.jpg") }

// formats are the shared pictures of one format.
func formats(pattern string) func() (bench.Set, error) { return media("formats/" + pattern) }

// media are the shared files of a pattern.
func media(pattern string) func() (bench.Set, error) {
	return func() (bench.Set, error) { return shared(pattern) }
}

// shared are files that several projects measure with; none where they do not lie beside the repository.
func shared(pattern string) (bench.Set, error) {
	set := bench.Set{Name: "shared/media/" + pattern, Glob: filepath.Join("../shared/media", pattern)}
	var err error
	set.Files, err = filepath.Glob(set.Glob)
	slices.Sort(set.Files)
	return set, err
}

// wanted are the works that are asked for.
func (s *settings) wanted() (chosen []work, err error) {
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

// duelsOf are those of a work whose contestants can run and are wanted.
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
		asked := len(names) == 0 || slices.Contains(names, d.Other)
		if asked && (s.python != "" || !known[d.Other].peer) {
			chosen = append(chosen, d)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("nobody to compare spool with")
	}
	return chosen, nil
}
