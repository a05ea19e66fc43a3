package transfer

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
)

// PinnedMemory is an allocator of memory that the device reads and writes directly, for pools whose buffers become
// batches. Each new block is mapped, placed on the device's NUMA node, locked and registered once; a pool keeps it and
// uses it again. It is safe for concurrent use.
//
// Memory that cannot be registered is locked by the operating system. Memory that cannot be locked either (usually
// because of RLIMIT_MEMLOCK) is plain: its copies are slower, and Stats reports it. For the device "host" all memory is
// plain.
type PinnedMemory struct {
	device *Device
	node   int // NUMA node of the device; below 0 if the system does not report it

	mu     sync.Mutex
	stats  PinnedStats
	blocks map[*byte]lockState
}

// PinnedStats is the memory in use, in bytes, by how it is locked.
type PinnedStats struct {
	Registered int64 // with the driver: the fastest for copies
	Locked     int64 // by the operating system
	Plain      int64
	Why        error // the first failure to register or unregister a block; nil on "host"
}

type lockState uint8

const (
	plain lockState = iota
	locked
	registered
)

// NewPinnedMemory makes an allocator for a device.
func NewPinnedMemory(d *Device) *PinnedMemory {
	p := &PinnedMemory{device: d, node: -1, blocks: map[*byte]lockState{}}
	if d.kind != Host {
		p.stats.Why = d.why
		p.node = nodeOf(d.info.Bus)
	}
	return p
}

// Alloc returns n bytes, aligned to a page. It fails if the system has no memory left, or the device is closed.
func (p *PinnedMemory) Alloc(n int) ([]byte, error) {
	if p.device.lease != nil && !p.device.lease.retain() {
		return nil, spool.ErrClosed
	}
	memory, err := spool.Mmap{}.Alloc(n)
	if err != nil {
		if p.device.lease != nil {
			_ = p.device.lease.release() // if the device was closed meanwhile, this may free it
		}
		return nil, err
	}
	how, why := p.lock(memory)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocks[unsafe.SliceData(memory)] = how
	*p.stats.of(how) += int64(n)
	if p.stats.Why == nil {
		p.stats.Why = why
	}
	return memory, nil
}

// lock registers or locks memory, and returns how, with the error that prevented better.
func (p *PinnedMemory) lock(memory []byte) (how lockState, why error) {
	if p.device.kind == Host {
		return plain, nil
	}
	prefer(memory, p.node)
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // fewer pages to lock: 64 MiB in 3 ms instead of 23; some kernels lack it
	why = p.device.why
	if p.device.lease != nil {
		err := p.device.lease.context.Register(memory)
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

// Free frees a block. Nothing may read or write it any longer. Errors of the driver are recorded in Stats and not
// returned: the block is freed in any case.
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
		err = p.device.lease.context.Unregister(memory)
	}
	if p.device.lease != nil {
		if last := p.device.lease.release(); err == nil {
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

// Stats returns the memory in use.
func (p *PinnedMemory) Stats() PinnedStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

func (s *PinnedStats) of(how lockState) *int64 {
	return [...]*int64{plain: &s.Plain, locked: &s.Locked, registered: &s.Registered}[how]
}
