package kept

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Memory is memory of the caller that stays pinned until the last packet in it is released. A nil Memory is FFmpeg's.
type Memory struct {
	pins runtime.Pinner
	refs atomic.Int32
}

// Lend pins data, with one reference.
func Lend(data []byte) *Memory {
	m := new(Memory)
	m.pins.Pin(unsafe.SliceData(data))
	m.refs.Store(1)
	return m
}

// Retain adds a reference.
func (m *Memory) Retain() *Memory {
	if m != nil {
		m.refs.Add(1)
	}
	return m
}

// Release drops a reference. The last one ends the pinning.
func (m *Memory) Release() {
	if m != nil && m.refs.Add(-1) == 0 {
		m.pins.Unpin()
	}
}
