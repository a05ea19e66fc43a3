package transfer

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
)

// PinnedMemory is an allocator of memory that the device reads and writes by itself, for pools whose buffers become
// batches. Each block is mapped, put on the device's node, locked and registered once, when it is made; a pool keeps
// it and uses it again. It is safe for concurrent use.
//
// What cannot be registered is locked by the system, and what cannot be locked (RLIMIT_MEMLOCK, in most cases) is plain:
// copies of it are slower, and Stats says so. For the device "host" all memory is plain.
type PinnedMemory struct {
	device *Device
	node   int // of the device; below 0 if the system does not say

	mu     sync.Mutex
	stats  PinnedStats
	blocks map[*byte]grip
}

// PinnedStats is what memory is in use, in bytes, and how it is held.
type PinnedStats struct {
	Registered int64 // with the driver: what copies are fast from
	Locked     int64 // by the system
	Plain      int64
	Why        error // what kept the first block from being registered, or from being so no more; nil on "host"
}

type grip uint8

const (
	plain grip = iota
	locked
	registered
)

// NewPinned makes an allocator for a device.
func NewPinned(d *Device) *PinnedMemory {
	p := &PinnedMemory{device: d, node: -1, blocks: map[*byte]grip{}}
	if d.kind != Host {
		p.stats.Why = d.why
		p.node = nodeOf(d.info.Bus)
	}
	return p
}

// Alloc gives n bytes, aligned to a page. It fails when the system has no more, or the device is closed.
func (p *PinnedMemory) Alloc(n int) ([]byte, error) {
	if p.device.held != nil && !p.device.held.retain() {
		return nil, spool.ErrClosed
	}
	memory, err := spool.Mmap{}.Alloc(n)
	if err != nil {
		if p.device.held != nil {
			_ = p.device.held.release() // it is open, or was closed in this moment: then its memory counts
		}
		return nil, err
	}
	how, why := p.hold(memory)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocks[unsafe.SliceData(memory)] = how
	*p.stats.of(how) += int64(n)
	if p.stats.Why == nil {
		p.stats.Why = why
	}
	return memory, nil
}

// hold registers or locks memory, and says how far it came.
func (p *PinnedMemory) hold(memory []byte) (how grip, why error) {
	if p.device.kind == Host {
		return plain, nil
	}
	prefer(memory, p.node)
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // fewer pages to lock: 64 MiB in 3 ms for 23; some kernels have none
	why = p.device.why
	if p.device.held != nil {
		err := p.device.held.context.Register(memory)
		if err == nil {
			return registered, nil
		}
		why = spool.InFile(err, p.device.name)
	}
	if err := unix.Mlock(memory); err != nil {
		return plain, fmt.Errorf("%w; locking %d bytes: %w", why, len(memory), err)
	}
	return locked, why
}

// Free takes a block back. Nothing may read or write it any more. What the driver makes of it is no error of the
// block's: it is gone either way.
func (p *PinnedMemory) Free(memory []byte) error {
	at := unsafe.SliceData(memory)
	p.mu.Lock()
	how, ours := p.blocks[at]
	delete(p.blocks, at)
	if ours {
		*p.stats.of(how) -= int64(len(memory))
	}
	p.mu.Unlock()
	if !ours {
		return fmt.Errorf("%w: a block of other memory", spool.ErrInternal)
	}
	var err error
	if how == registered {
		err = p.device.held.context.Unregister(memory)
	}
	if p.device.held != nil {
		if last := p.device.held.release(); err == nil {
			err = last
		}
	}
	if err != nil {
		p.mu.Lock()
		if p.stats.Why == nil {
			p.stats.Why = spool.InFile(err, p.device.name)
		}
		p.mu.Unlock()
	}
	return spool.Mmap{}.Free(memory)
}

// Stats is what is in use.
func (p *PinnedMemory) Stats() PinnedStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

func (s *PinnedStats) of(how grip) *int64 {
	return [...]*int64{plain: &s.Plain, locked: &s.Locked, registered: &s.Registered}[how]
}
