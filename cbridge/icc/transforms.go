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

// The limits of cached transforms. A data set has a handful of profiles.
const (
	maxTransforms = 16
	maxBytes      = 32 << 20
)

// Transforms creates sinks and caches their transforms for later images with the same profile. A new transform takes 1
// to 50 times as long as the decoding of a small image. The cache holds at most 16 transforms of 32 MiB together, and
// evicts the least recently used. The latest one is kept even if it is larger. The zero value is ready for use. It is
// safe for concurrent use.
type Transforms struct {
	mu    sync.Mutex
	cache []*transform // most recently used first
}

// transform converts from one profile to sRGB, for rows of one format.
type transform struct {
	key   key
	c     *C.spool_icc_transform // in C memory; nil if rows need no conversion
	bytes int64
	uses  int // number of sinks, plus one while cached; guarded by Transforms.mu
}

type key struct {
	profile               [sha256.Size]byte
	color, channels, bits int
}

// acquire finds or creates the transform for a profile. Each acquire must be followed by a release.
func (t *Transforms) acquire(profile []byte, o Options) (*transform, error) {
	k := key{sha256.Sum256(profile), int(o.Color), o.Channels, o.Bits}
	if known := t.find(k); known != nil {
		return known, nil
	}
	made, err := newTransform(profile, o) // two goroutines may create the same transform at once; both are used
	if err != nil {
		return nil, err
	}
	made.key, made.uses = k, 2
	t.mu.Lock()
	t.cache = slices.Insert(t.cache, 0, made)
	var old []*transform
	sum := int64(0)
	for i, known := range t.cache {
		if sum += known.bytes; i > 0 && (i == maxTransforms || sum > maxBytes) {
			old, t.cache = slices.Clone(t.cache[i:]), slices.Delete(t.cache, i, len(t.cache))
			break
		}
	}
	t.mu.Unlock()
	for _, x := range old {
		t.release(x)
	}
	return made, nil
}

// find returns the cached transform of a key and moves it to the front, or returns nil.
func (t *Transforms) find(k key) *transform {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.cache, func(x *transform) bool { return x.key == k })
	if i < 0 {
		return nil
	}
	found := t.cache[i]
	copy(t.cache[1:], t.cache[:i])
	t.cache[0] = found
	found.uses++
	return found
}

// release ends one use of a transform. The last release frees it.
func (t *Transforms) release(x *transform) {
	t.mu.Lock()
	x.uses--
	last := x.uses == 0
	t.mu.Unlock()
	if last {
		x.free()
	}
}

// Close frees the cached transforms. Open sinks remain usable until they are closed. It returns nil, and Transforms may
// be used again.
func (t *Transforms) Close() error {
	t.mu.Lock()
	old := t.cache
	t.cache = nil
	t.mu.Unlock()
	for _, x := range old {
		t.release(x)
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
	code := C.spool_icc_open(x.c, &rows, unsafe.Pointer(unsafe.SliceData(profile)), C.size_t(len(profile)),
		C.int64_t(o.MaxMemory))
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

// InUse returns the number of bytes that lcms uses for all transforms of the process.
func InUse() int64 { return int64(C.spool_icc_in_use()) }
