package av

import (
	"reflect"
	"testing"

	"github.com/asticode/go-astiav"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wrapFormatContext writes the pointer into the object's first word.
func TestFormatContextIsOnePointer(t *testing.T) {
	of := reflect.TypeFor[astiav.FormatContext]()
	require.Equal(t, 1, of.NumField())
	assert.Equal(t, reflect.Pointer, of.Field(0).Type.Kind())

	theirs := astiav.AllocFormatContext()
	defer theirs.Free()
	c := reflect.ValueOf(theirs).Elem().Field(0).UnsafePointer()
	assert.Equal(t, theirs, wrapFormatContext(c))
}
