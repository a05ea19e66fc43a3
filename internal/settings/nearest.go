package settings

import (
	"slices"
	"strings"
)

// Nearest returns the candidate that a misspelled word probably means, or "". It ignores case, and reads _ as -.
func Nearest(word string, candidates []string) string {
	word = strings.ReplaceAll(strings.ToLower(word), "_", "-")
	best, least := "", max(1, len(word)/3)+1
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if d := distance(word, strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance returns how many letters must be inserted, removed, replaced, or swapped with the next one, to make b of a.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}

// Suggest returns what to use in place of an unknown name: one of the names, which are those of flags, perhaps with a
// value, as in last=drop; or "".
func Suggest(unknown string, names []string) string {
	unknown = strings.ReplaceAll(strings.ToLower(unknown), "_", "-")
	for _, known := range otherNames[unknown] {
		if name, _, _ := strings.Cut(known, "="); slices.Contains(names, name) {
			return known
		}
	}
	return Nearest(unknown, names)
}

// otherNames are other programs' names of settings: for each, the names here, of which a command has one at most.
var otherNames = map[string][]string{
	"batch-size": {"batch"}, "batchsize": {"batch"}, "bs": {"batch"},
	"num-workers": {"workers", "threads"}, "jobs": {"workers", "threads"}, "num-threads": {"threads", "workers"},
	"drop-last": {"last=drop"}, "drop-remainder": {"last=drop"}, "pin-memory": {"device=pinned"},
	"prefetch-factor": {"prefetch"},
	"interpolation":   {"filter"}, "resample": {"filter"}, "antialias": {"filter"},
	"image-size": {"size"}, "img-size": {"size"}, "resize": {"size"}, "width": {"size"}, "height": {"size"},
	"shorter": {"resize-shorter"}, "shorter-side": {"resize-shorter"}, "center-crop": {"crop"}, "crop-size": {"crop"},
	"sample-rate": {"rate"}, "sampling-rate": {"rate"}, "sr": {"rate"}, "num-channels": {"channels"}, "mono": {"channels"},
	"num-frames": {"sample", "frames"}, "n-frames": {"sample", "frames"}, "indices": {"frames"}, "frame-step": {"stride"},
	"world-size": {"world"}, "num-replicas": {"world"}, "num-epochs": {"epochs"}, "num-samples": {"limit"},
	"output": {"out"}, "o": {"out"}, "errors": {"on-error"}, "skip-errors": {"on-error"}, "ignore-errors": {"on-error"},
	"cache-dir": {"disk-cache"}, "timeout": {"deadline"}, "endpoint": {"endpoint-url"}, "anonymous": {"no-sign-request"},
	"anon": {"no-sign-request"}, "augment": {"train"}, "fps": {"rate"}, "start-seconds": {"start"}, "end-seconds": {"end"},
	"stop": {"end"}, "color-mode": {"color"}, "pixel-format": {"color"}, "data-format": {"layout"}, "gpu": {"device"},
}

// otherWords are other programs' words for values.
var otherWords = map[string][]string{
	"pad": {"fit"}, "letterbox": {"fit"}, "contain": {"fit"}, "crop": {"cover"}, "center-crop": {"cover"},
	"squash":    {"stretch"},
	"grayscale": {"gray"}, "grey": {"gray"}, "l": {"gray"}, "float": {"float32"}, "half": {"float16"}, "byte": {"uint8"},
	"int16": {"s16", "uint16"}, "int32": {"s32"}, "chw": {"nchw"}, "hwc": {"nhwc"}, "channels-first": {"nchw", "ct"},
	"channels-last": {"nhwc", "tc"}, "linear": {"bilinear"}, "triangle": {"bilinear"}, "cubic": {"bicubic"},
	"lanczos3": {"lanczos"}, "area": {"box"}, "raise": {"fail"}, "error": {"fail"}, "stop": {"fail"},
	"mask":   {"placeholder"},
	"ignore": {"skip"}, "warn": {"skip"}, "mark": {"fill"}, "drop-last": {"drop"}, "turbojpeg": {"turbo"},
	"pil": {"pillow"},
	"cv2": {"opencv"}, "torch": {"torchvision"}, "sound": {"audio"}, "sounds": {"audio"}, "picture": {"image", "images"},
	"pictures": {"images"}, "photo": {"image", "images"}, "photos": {"images"}, "movie": {"video"}, "info": {"probe"},
}

// Meant returns which of the words a wrong one probably means, as the end of a message.
func Meant(word string, words []string) string {
	near := ""
	for _, w := range otherWords[strings.ReplaceAll(strings.ToLower(word), "_", "-")] {
		if slices.Contains(words, w) {
			near = w
			break
		}
	}
	if near == "" {
		near = Nearest(word, words)
	}
	if near == "" {
		return ""
	}
	return "; did you mean " + near + "?"
}

// AnyOf joins the words of a choice: "a, b or c".
func AnyOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// AllOf joins names that exclude each other: "a, b and c".
func AllOf(names []string) string {
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
