package settings

import (
	"reflect"
	"strings"

	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/lerobot"
	"github.com/spoolmedia/spool/source/object"
)

// named are the settings that set the fields of an options struct, by the names of the fields, after those that lead to
// them. A setting may have a value.
type named map[string][]string

// fields are the options structs of the libraries, with the settings of their fields. Errors name fields, which become
// settings by this table. A field has the same settings in all structs.
var fields = []struct {
	of       reflect.Type
	settings named
}{
	{reflect.TypeFor[resize.Spec](), named{"Width": {"size"}, "Height": {"size"}, "Mode": {"mode"},
		"Shorter": {"resize-shorter"}, "MaxSize": {"max-size"},
		"Snap.Multiple": {"resize-multiple"}, "Snap.MinPixels": {"resize-min-pixels"},
		"Snap.MaxPixels": {"resize-max-pixels"}, "CropWidth": {"crop"}, "CropHeight": {"crop"}, "Box": {"box"},
		"Filter":  {"filter"},
		"Profile": {"profile"}, "PadColor": {"pad-color"}}},
	{reflect.TypeFor[resize.Augment](), named{"ResizedCrop": {"random-scale", "random-ratio"}, "Crop": {"random-crop"},
		"FlipX": {"flip-x"}, "FlipY": {"flip-y"}}},
	{reflect.TypeFor[resize.RandomResizedCrop](), named{"Scale": {"random-scale"}, "Ratio": {"random-ratio"}}},
	{reflect.TypeFor[resize.RandomCrop](), named{"Padding": {"random-crop"}}},
	{reflect.TypeFor[image.Spec](), named{"Color": {"color"}, "Alpha": {"alpha"}, "Frame": {"frame"}, "ICC": {"icc"},
		"Allow": {"allow"}, "DType": {"dtype"}, "Mean": {"mean"}, "Std": {"std"}, "Layout": {"layout"},
		"Accept": {"accept"}, "Crops": {"crops"}, "Adjust": {"augment"}, "Fill": {"fill"},
		"Resize": {"size", "resize-shorter", "max-size", "crop"}}},
	{reflect.TypeFor[video.Spec](), named{"Filters": {"filters"}, "FilterFiles": {"filter-files"},
		"Planes": {"planes"}, "Chroma": {"chroma"}, "OnDamage": {"on-damage"}}},
	{reflect.TypeFor[video.OpenOptions](), named{"Stream": {"stream"}, "Language": {"language"}, "Device": {"hwaccel"},
		"Threads": {"threads"}, "Codec": {"codec"}, "CodecOptions": {"codec-option"}, "IndexDir": {"index-dir"}}},
	{reflect.TypeFor[audio.Spec](), named{"Rate": {"rate"}, "Channels": {"channels"}, "Start": {"start"}, "End": {"end"},
		"Length": {"duration"}, "Quality": {"quality"}}},
	{reflect.TypeFor[encode.ImageOptions](), named{"Format": {"format"}, "Lossless": {"lossless"}, "Effort": {"effort"}}},
	{reflect.TypeFor[encode.Options](), named{"Video.Rate": {"fps"}, "Video.Pixels": {"pixels"}}},
	{reflect.TypeFor[encode.RemuxOptions](), named{"Streams": {"streams"}}},
	{reflect.TypeFor[loader.Options](), named{"Batch": {"batch"}, "Workers": {"workers"}, "CPUShare": {"cpu-share"},
		"Epochs": {"epochs"}, "Shuffle": {"shuffle"}, "Seed": {"seed"}, "Limit": {"limit"}, "Order": {"order"},
		"Last": {"last"}, "OnError": {"on-error"}, "Prefetch": {"prefetch"}, "Resume": {"resume"},
		"Sharing.Rank": {"rank"}, "Sharing.Rest": {"rest"},
		"Failures.Max": {"max-failures"}, "Failures.MaxRate": {"max-failures"},
		"Stalls.Deadline": {"deadline"}, "Stalls.Attempts": {"attempts"}, "Stalls.Watch.After": {"watch"},
		"Caches.Memory": {"cache"}, "Caches.Disk": {"disk-cache-of=samples"}}},
	{reflect.TypeFor[loader.RecordOptions](), named{"Form.Kind": {"form"}, "Form.Multiple": {"form-multiple"},
		"Form.Fill": {"form-fill"}, "Form.Memory": {"form-memory"}, "Form.Buckets": {"buckets"},
		"Form.Field": {"bucket-field"}, "Form.Pixels": {"budget-pixels"}, "Form.Tokens": {"budget-tokens"},
		"Form.Lengths": {"bucket-lengths"}, "Form.ClipFrames": {"budget-frames"}, "Form.AudioSamples": {"budget-samples"},
		"Form.Patch": {"patch"}, "Form.Merge": {"patch-merge"}, "Form.Frames": {"patch-frames"},
		"Form.Ragged": {"budget-ragged"}}},
	{reflect.TypeFor[loader.ImageOptions](), named{"JPEG": {"jpeg"}, "Augment": {"train"}, "Ops": {"augment"},
		"OnDevice": {"decode-on=device"}}},
	{reflect.TypeFor[loader.VideoOptions](), named{"Frames": {"frames"}, "Random": {"train"}, "Stride": {"stride"},
		"OnDevice": {"decode-on=device"}}},
	{reflect.TypeFor[loader.WindowOptions](), named{"Seconds": {"windows"}}},
	{reflect.TypeFor[record.Instances](), named{"Like": {"like"}, "Boxes": {"boxes"}}},
	{reflect.TypeFor[lerobot.Options](), named{"DeltaTimestamps": {"delta"}, "Episodes": {"episodes"}}},
	{reflect.TypeFor[source.Options](), named{"Ignore": {"ignore-columns"}, "Label": {"label"}, "Labels": {"labels"},
		"Where": {"where"}}},
	{reflect.TypeFor[object.Options](), named{"Endpoint": {"endpoint-url"}, "Region": {"region"},
		"NoSignRequest": {"no-sign-request"}, "MaxInFlight": {"max-concurrent-requests"}}},
}

// settingsOf returns the settings of a field, or nil. Fields that lead to it are ignored if the table has none:
// "Spec.Resize.Width" is "Width".
func settingsOf(field string) []string {
	for more := true; more; _, field, more = strings.Cut(field, ".") {
		for _, f := range fields {
			if s := f.settings[field]; s != nil {
				return s
			}
		}
	}
	return nil
}
