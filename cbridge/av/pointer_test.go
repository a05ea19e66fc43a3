package av

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/asticode/go-astiav"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wrap and pointer rely on the first word of an object being the C pointer.
func TestObjectsBeginWithTheirPointer(t *testing.T) {
	format, packet, codec := astiav.AllocFormatContext(), astiav.AllocPacket(), astiav.AllocCodecContext(nil)
	parameters := astiav.AllocCodecParameters()
	defer format.Free()
	defer packet.Free()
	defer codec.Free()
	defer parameters.Free()
	for _, object := range []any{format, packet, codec, parameters, astiav.NewDictionary()} {
		first := reflect.TypeOf(object).Elem().Field(0)
		require.Equal(t, reflect.Pointer, first.Type.Kind(), "%T", object)
		assert.Zero(t, first.Offset, "%T", object)
	}
	assert.Equal(t, unsafe.Sizeof(uintptr(0)), unsafe.Sizeof(*format))
	c := reflect.ValueOf(format).Elem().Field(0).UnsafePointer()
	assert.Equal(t, format, wrap[astiav.FormatContext](c))
	assert.Equal(t, c, pointer(format))
}
