package settings

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
)

// elsewhere are the settings that the command and the C interface define.
var elsewhere = []string{"prefetch", "cache", "resume", "format", "lossless", "effort", "fps", "pixels", "streams"}

// Every field of the table exists, every setting does, and a field has the same settings in all structs.
func TestFieldsExist(t *testing.T) {
	var s Set
	s.LoadImages()
	s.LoadAudio()
	s.LoadVideo()
	s.LoadRecords()
	imageField(&s)
	instancesField(&s)
	var d DecodeVideo
	s.DecodeVideo(&d)
	s.Augment(new(resize.Spec), new(resize.Augment), new(augment.Ops))
	s.DecodeAudio(new(DecodeAudio))
	s.Robot(new(robot))
	names := append(s.Names(), elsewhere...)
	for _, f := range fields {
		for field, settings := range f.settings {
			of := f.of
			for name := range strings.SplitSeq(field, ".") {
				at, exists := of.FieldByName(name)
				require.True(t, exists, "%v.%s", f.of, field)
				if of = at.Type; of.Kind() == reflect.Pointer {
					of = of.Elem()
				}
			}
			for _, setting := range settings {
				name, _, _ := strings.Cut(setting, "=")
				assert.Contains(t, names, name, "%v.%s", f.of, field)
			}
			assert.Equal(t, settings, settingsOf(field), "%v.%s has other settings elsewhere", f.of, field)
		}
	}
}

// Fields of structs that the table does not list, but that have the names of its fields, mean the same.
func TestFieldsShareNames(t *testing.T) {
	for _, of := range []reflect.Type{reflect.TypeFor[audio.OpenOptions](), reflect.TypeFor[loader.AudioOptions](),
		reflect.TypeFor[video.Spec]()} {
		for field := range of.Fields() {
			name := field.Name
			switch name {
			case "Spec", "Open", "Options", "Near", "Clock", "Draw", "Stored":
				assert.Nil(t, settingsOf(name), "%v.%s", of, name)
			default:
				require.NotNil(t, settingsOf(name), "%v.%s", of, name)
			}
		}
	}
}
