package settings

import (
	"slices"
	"strings"

	"github.com/spoolmedia/spool/internal/nearest"
)

// Suggest returns what to use in place of an unknown name: one of the names, which are those of flags, perhaps with a
// value, as in last=drop; or "".
func Suggest(unknown string, names []string) string {
	unknown = strings.ReplaceAll(strings.ToLower(unknown), "_", "-")
	for _, known := range otherNames[unknown] {
		if name, _, _ := strings.Cut(known, "="); slices.Contains(names, name) {
			return known
		}
	}
	return nearest.Word(unknown, names)
}

// otherNames are other programs' names of settings: for each, the names here, of which a command has one at most.
var otherNames = map[string][]string{
	"batch-size": {"batch"}, "batchsize": {"batch"}, "bs": {"batch"},
	"num-workers": {"workers", "threads"}, "jobs": {"workers", "threads"}, "num-threads": {"threads", "workers"},
	"drop-last": {"last=drop"}, "drop-remainder": {"last=drop"}, "pin-memory": {"device=pinned"},
	"prefetch-factor": {"prefetch"},
	"interpolation":   {"filter"}, "resample": {"filter"}, "antialias": {"filter"},
	"image-size": {"size"}, "img-size": {"size"}, "resize": {"size"}, "width": {"size"}, "height": {"size"},
	"shorter": {"resize-shorter"}, "shorter-side": {"resize-shorter"}, "longer": {"max-size"},
	"longer-side": {"max-size"}, "center-crop": {"crop"}, "crop-size": {"crop"},
	"sample-rate": {"rate"}, "sampling-rate": {"rate"}, "sr": {"rate"}, "num-channels": {"channels"}, "mono": {"channels"},
	"num-frames": {"sample", "frames"}, "n-frames": {"sample", "frames"}, "indices": {"frames"}, "frame-step": {"stride"},
	"world-size": {"world"}, "num-replicas": {"world"}, "num-epochs": {"epochs"}, "num-samples": {"limit"},
	"output": {"out"}, "o": {"out"}, "errors": {"on-error"}, "skip-errors": {"on-error"}, "ignore-errors": {"on-error"},
	"cache-dir": {"disk-cache"}, "timeout": {"deadline"}, "endpoint": {"endpoint-url"}, "anonymous": {"no-sign-request"},
	"anon": {"no-sign-request"}, "filter-rows": {"where"}, "query": {"where"}, "predicate": {"where"},
	"fps": {"rate"}, "start-seconds": {"start"}, "end-seconds": {"end"},
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
		near = nearest.Word(word, words)
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
