package arrow

import (
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spoolmedia/spool"
)

// mappedFile is a local file in memory, as the system maps it.
type mappedFile struct{ data []byte }

// mapped maps an open file. It returns nil if the object is no local file, or if the system refuses. The file is
// unmapped when nothing refers to it any more.
func mapped(o spool.Object) *mappedFile {
	local, ok := o.(interface{ Fd() uintptr })
	size := o.Info().Size
	if !ok || size <= 0 || int64(int(size)) != size {
		return nil
	}
	data, err := syscall.Mmap(int(local.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	m := &mappedFile{data}
	runtime.AddCleanup(m, func(data []byte) { _ = syscall.Munmap(data) }, data)
	return m
}

// read copies n bytes. Pages that are not there any more, because the file was cut short, are an error.
func (m *mappedFile) read(at, n int64) (data []byte, err error) {
	if at > int64(len(m.data)) || n > int64(len(m.data))-at {
		return nil, failed(spool.ErrTruncated, "the file ends at byte %d", len(m.data))
	}
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if fault := recover(); fault != nil {
			data, err = nil, failed(spool.ErrIO, "the file was cut short while it was in use, before byte %d", at+n)
		}
		runtime.KeepAlive(m)
	}()
	data = make([]byte, n)
	copy(data, m.data[at:])
	return data, nil
}
