package icc

// #include "icc.h"
import "C"

import (
	"crypto/sha256"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/mem"
)

// The bounds of what Transforms keeps: a data set has a handful of profiles.
const (
	keptTransforms = 16
	keptBytes      = 32 << 20
)

// Transforms makes sinks, and keeps the transforms behind them for the next picture with the same
// profile: to make one takes 1 to 50 times as long as to decode a small picture. At most 16 are kept, of
// 32 MiB together; the least recently used go first. The zero value is ready for use. It is safe for
// concurrent use.
type Transforms struct {
	mu   sync.Mutex
	kept []*transform // the last used first
}

// transform is from one profile to sRGB, for rows of one kind.
type transform struct {
	key   key
	c     *C.spool_icc_transform // in C memory; nil when rows need no conversion
	bytes int64
	uses  int // by sinks, and one while it is kept; guarded by Transforms.mu
}

type key struct {
	profile               [sha256.Size]byte
	color, channels, bits int
}

// take finds or makes the transform for a profile. It is given back by drop.
func (t *Transforms) take(profile []byte, o Options) (*transform, error) {
	k := key{sha256.Sum256(profile), int(o.Color), o.Channels, o.Bits}
	if known := t.find(k); known != nil {
		return known, nil
	}
	made, err := newTransform(profile, o) // two pictures may make the same one at once; both are used
	if err != nil {
		return nil, err
	}
	made.key, made.uses = k, 2
	t.mu.Lock()
	t.kept = slices.Insert(t.kept, 0, made)
	var old []*transform
	sum := int64(0)
	for i, known := range t.kept {
		if sum += known.bytes; i > 0 && (i == keptTransforms || sum > keptBytes) {
			old, t.kept = slices.Clone(t.kept[i:]), slices.Delete(t.kept, i, len(t.kept))
			break
		}
	}
	t.mu.Unlock()
	for _, x := range old {
		t.drop(x)
	}
	return made, nil
}

// find gives the transform of a key, moved to the front, or nil.
func (t *Transforms) find(k key) *transform {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.kept, func(x *transform) bool { return x.key == k })
	if i < 0 {
		return nil
	}
	found := t.kept[i]
	copy(t.kept[1:], t.kept[:i])
	t.kept[0] = found
	found.uses++
	return found
}

// drop gives up one use of a transform, which is freed with the last one.
func (t *Transforms) drop(x *transform) {
	t.mu.Lock()
	x.uses--
	last := x.uses == 0
	t.mu.Unlock()
	if last {
		x.free()
	}
}

// Close frees what is kept. Sinks that are open remain usable until they are closed. It returns nil, and
// Transforms may be used again.
func (t *Transforms) Close() error {
	t.mu.Lock()
	old := t.kept
	t.kept = nil
	t.mu.Unlock()
	for _, x := range old {
		t.drop(x)
	}
	return nil
}

func newTransform(profile []byte, o Options) (*transform, error) {
	memory, err := mem.Alloc(mem.Sink, int(unsafe.Sizeof(C.spool_icc_transform{})))
	if err != nil {
		return nil, err
	}
	x := &transform{c: (*C.spool_icc_transform)(memory)}
	rows := o.rows()
	code := C.spool_icc_open(x.c, &rows, unsafe.Pointer(unsafe.SliceData(profile)), C.size_t(len(profile)), C.int64_t(o.MaxMemory))
	runtime.KeepAlive(profile)
	if code == C.SPOOL_ICC_OK {
		x.bytes = int64(unsafe.Sizeof(*x.c)) + int64(x.c.account.used)
		return x, nil
	}
	text := C.GoString(&x.c.account.text[0])
	x.freeMemory()
	if code == C.SPOOL_ICC_IDENTITY {
		return x, nil
	}
	return nil, refusal(code, text, o)
}

func (x *transform) free() {
	if x.c != nil {
		C.spool_icc_close(x.c)
		x.freeMemory()
	}
}

func (x *transform) freeMemory() {
	mem.Free(mem.Sink, unsafe.Pointer(x.c), int(unsafe.Sizeof(*x.c)))
	x.c = nil
}

// InUse is the number of bytes that lcms holds for all transforms of the process.
func InUse() int64 { return int64(C.spool_icc_in_use()) }
