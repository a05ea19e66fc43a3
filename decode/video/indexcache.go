package video

import (
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/memo"
)

// indexCache keeps indexes in memory, so that a video that is opened again, for another clip or in another epoch, is
// not scanned again. Its keys are made by Video.key.
type indexCache = memo.Cache[string, *index.Index]

// defaultIndexBytes has room for the indexes of seven hours of video at 30 frames a second.
const defaultIndexBytes = 32 << 20

func newIndexCache(room int64) *indexCache {
	if room == 0 {
		room = defaultIndexBytes
	}
	return memo.New[string](room, indexBytes)
}

// indexBytes is the memory of an index.
func indexBytes(x *index.Index) int64 {
	const frame = 4 // bytes a frame, besides its packet
	return int64(len(x.Packets))*(int64(unsafe.Sizeof(index.Packet{}))+frame) + int64(len(x.Stream.Parameters))
}

// key is the cache key of the index of the chosen stream. It is empty where the input has no identity, or where the
// stream is chosen by language.
func (v *Video) key(identity string) string {
	if v.options.NoIndex || v.options.Language != "" || identity == "" {
		return ""
	}
	stream := "best"
	if v.options.Stream != nil {
		stream = fmt.Sprint(*v.options.Stream)
	}
	return stream + " " + identity
}
