package main

/*
#include "spool.h"
*/
import "C"

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/minio/crc64nvme"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source/npy"
	"github.com/spoolmedia/spool/source/object"
	"github.com/spoolmedia/spool/source/shard"
)

// spool_archive is an open tar file, NPZ or NPY file.
type spool_archive struct {
	format  string
	members []member
	samples int
	damage  error // that ended the headers of a tar file
	name    string

	object spool.Object // that members are read from
	arrays *npy.Archive // of NPZ
	limit  int64        // bytes of a member
	stores *object.Client
}

// member is a member of an archive.
type member struct {
	shard.Member
	sample int
	err    error // of the sample
}

// openArchive opens an archive, which owns the stores.
func openArchive(ctx context.Context, in input, limit int64, stores *object.Client) (_ *spool_archive, err error) {
	a := &spool_archive{limit: limit, name: in.name, object: in.object(stores), stores: stores}
	defer func() {
		if err != nil {
			err = errors.Join(in.named(err), a.Close())
		}
	}()
	if closed, ok := a.object.(spool.Opener); ok {
		if a.object, err = closed.OpenParts(ctx, 0, 0); err != nil {
			a.object = nil
			return nil, err
		}
	}
	head := make([]byte, min(8, a.object.Info().Size))
	if n, err := a.object.ReadAt(ctx, head, 0); n < len(head) {
		return nil, err
	}
	switch {
	case len(head) == 0:
		return nil, &spool.Error{Op: "open", Class: spool.ErrEmpty, Text: "zero bytes"}
	case bytes.HasPrefix(head, []byte("\x93NUMPY")):
		a.format, a.samples, a.members = "npy", 1, make([]member, 1)
		a.members[0].Size = -1
		return a, nil
	case bytes.HasPrefix(head, []byte("PK")):
		return a, a.openNPZ(ctx)
	}
	return a, a.openTar(ctx)
}

func (a *spool_archive) openNPZ(ctx context.Context) (err error) {
	if a.arrays, err = npy.Open(ctx, a.object, a.limit); err != nil {
		return err
	}
	a.format = "npz"
	for i, name := range a.arrays.Names() {
		a.members = append(a.members, member{Member: shard.Member{Name: name, Size: -1}, sample: i})
	}
	a.samples = len(a.members)
	return nil
}

func (a *spool_archive) openTar(ctx context.Context) error {
	how, err := shard.Compressed(ctx, a.object)
	if err != nil {
		return err
	}
	if how != shard.None {
		memory, err := shard.Decompress(ctx, a.object, how, cmp.Or(a.limit, math.MaxInt64))
		if err != nil {
			return err
		}
		err = a.object.Close()
		a.object = memory
		if err != nil {
			return err
		}
	}
	x, err := shard.Scan(ctx, a.object)
	if err != nil {
		return err
	}
	if a.damage = x.Damage(); x.Len() == 0 && spool.ClassOf(a.damage) == spool.ErrCorrupt {
		return &spool.Error{Op: "open", Class: spool.ErrNotMedia, Text: "neither a tar file nor NPZ or NPY"}
	} else if x.Len() == 0 && a.damage != nil {
		return a.damage
	}
	a.format, a.samples = "tar", x.Len()
	for i := range x.Len() {
		s := x.Sample(i)
		for _, m := range s.Members {
			a.members = append(a.members, member{m, i, s.Err})
		}
	}
	slices.SortStableFunc(a.members, func(a, b member) int { return cmp.Compare(a.Offset, b.Offset) })
	return nil
}

// Close closes the file.
func (a *spool_archive) Close() (err error) {
	if a.object != nil {
		err = a.object.Close()
	}
	return errors.Join(err, a.stores.Close())
}

// archiveInfo is the result of spool_archive_info.
type archiveInfo struct {
	Format  string     `json:"format"`
	Members int        `json:"members"`
	Samples int        `json:"samples"`
	Damage  *errorInfo `json:"damage,omitempty"`
}

func (a *spool_archive) describe() archiveInfo {
	i := archiveInfo{Format: a.format, Members: len(a.members), Samples: a.samples}
	if a.damage != nil {
		e := errorInfoOf(spool.InFile(a.damage, a.name), "open")
		i.Damage = &e
	}
	return i
}

// list passes a table of the members to C, with their names after it.
func (a *spool_archive) list() (*C.spool_array, error) {
	const row = C.sizeof_spool_member
	n := len(a.members)
	size := n * row
	for _, m := range a.members {
		size += len(m.Name) + 1
	}
	b, err := library.results.Get(context.Background(), max(1, size))
	if err != nil {
		return nil, err
	}
	b.SetDesc(spool.Desc{Shape: spool.Shape{n, row}})
	all := b.Bytes()
	rows := unsafe.Slice((*C.spool_member)(unsafe.Pointer(unsafe.SliceData(all))), n)
	names := all[n*row:]
	for i, m := range a.members {
		rows[i] = C.spool_member{name: (*C.char)(unsafe.Pointer(unsafe.SliceData(names))), sample: C.int64_t(m.sample),
			size: C.int64_t(m.Size)}
		end := copy(names, m.Name)
		names[end] = 0
		names = names[end+1:]
	}
	return bufferArray(b)
}

// read reads a member.
func (a *spool_archive) read(ctx context.Context, i int64) (*C.spool_array, error) {
	if i < 0 || i >= int64(len(a.members)) {
		return nil, invalid.Errorf("member %d: the archive has %d, from 0", i, len(a.members))
	}
	m := &a.members[i]
	switch {
	case a.arrays != nil:
		array, err := a.arrays.Array(ctx, m.Name)
		return numbers(array, err)
	case a.format == "npy":
		return numbers(npy.Read(ctx, a.object, a.limit))
	case m.err != nil:
		return nil, m.err
	case a.limit > 0 && m.Size > a.limit:
		return nil, &spool.Error{Op: "read", File: m.Name, Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("%d bytes, the limit is %d", m.Size, a.limit)}
	}
	b, err := library.results.Get(ctx, max(1, int(m.Size)))
	if err != nil {
		return nil, err
	}
	b.SetDesc(spool.Desc{Shape: spool.Shape{int(m.Size)}})
	if err := spool.ReadFull(ctx, shard.Open(a.object, m.Member), b.Bytes()[:m.Size]); err != nil {
		b.Release()
		return nil, spool.InFile(err, m.Name)
	}
	return bufferArray(b)
}

// numbers passes an array to C, in a type that has all its values.
func numbers(a npy.Array, err error) (*C.spool_array, error) {
	if err != nil {
		return nil, err
	}
	a = a.Native()
	d, known := a.Type.DType()
	data := a.Data
	switch {
	case known:
	case a.Type.Kind == npy.Bool:
		d = spool.Uint8
	case a.Type.Kind == npy.Int && a.Type.Size == 1:
		d, data = spool.Int16, widened[int8, int16](data)
	case a.Type.Kind == npy.Uint && a.Type.Size == 4:
		d, data = spool.Int64, widened[uint32, int64](data)
	default:
		return nil, &spool.Error{Op: "read", Class: spool.ErrUnsupported, Text: "elements of the type " + a.Type.String()}
	}
	desc := spool.Desc{Shape: spool.Shape(a.Shape), DType: d}
	if len(a.Shape) > C.SPOOL_MAX_DIMS {
		return nil, &spool.Error{Op: "read", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("%d dimensions, and at most %d are possible", len(a.Shape), C.SPOOL_MAX_DIMS)}
	}
	b, err := library.results.Get(context.Background(), max(1, len(data)))
	if err != nil {
		return nil, err
	}
	copy(b.Bytes(), data)
	b.SetDesc(desc)
	return bufferArray(b)
}

// widened converts integers to a larger type.
func widened[From int8 | uint32, To int16 | int64](data []byte) []byte {
	var from From
	var to To
	n := len(data) / int(unsafe.Sizeof(from))
	wide := make([]To, n)
	for i, v := range unsafe.Slice((*From)(unsafe.Pointer(unsafe.SliceData(data))), n) {
		wide[i] = To(v)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(wide))), n*int(unsafe.Sizeof(to)))
}

//export goArchiveOpen
func goArchiveOpen(source *C.spool_source, json *C.char, cancel C.uintptr_t, opened *C.uintptr_t,
	e *C.spool_error) C.int32_t {
	return guard(e, "open", func() error {
		var with object.Options
		limit := int64(1 << 30)
		if err := readOptions(json, func(set *settings.Set) func() {
			set.Stores(&with)
			set.Bytes("max-bytes", &limit, "largest member, 0 for no limit")
			return func() {}
		}); err != nil {
			return err
		}
		in, err := inputOf(source)
		if err != nil {
			return err
		}
		return withCancel(context.Background(), cancel, func(ctx context.Context) error {
			stores, err := object.New(with)
			if err != nil {
				return err
			}
			a, err := openArchive(ctx, in, limit, stores)
			if err == nil {
				*opened = register(a)
			}
			return err
		})
	})
}

//export goArchiveClose
func goArchiveClose(archive C.uintptr_t) {
	guard(nil, "close", func() error { return release[*spool_archive](archive) })
}

//export goArchiveInfo
func goArchiveInfo(archive C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "describe", func() error {
		return use(archive, func(_ context.Context, a *spool_archive) (err error) {
			*json, err = jsonArray(a.describe())
			return err
		})
	})
}

//export goArchiveList
func goArchiveList(archive C.uintptr_t, list **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "describe", func() error {
		return use(archive, func(_ context.Context, a *spool_archive) (err error) {
			*list, err = a.list()
			return err
		})
	})
}

//export goArchiveRead
func goArchiveRead(archive C.uintptr_t, member C.int64_t, cancel C.uintptr_t, array **C.spool_array,
	e *C.spool_error) C.int32_t {
	return guard(e, "read", func() error {
		return use(archive, func(ctx context.Context, a *spool_archive) error {
			return withCancel(ctx, cancel, func(ctx context.Context) (err error) {
				*array, err = a.read(ctx, int64(member))
				return spool.InFile(err, a.name)
			})
		})
	})
}

//export goCRC64NVME
func goCRC64NVME(data unsafe.Pointer, size C.size_t, sum *C.uint64_t, e *C.spool_error) C.int32_t {
	return guard(e, "checksum", func() error {
		bytes, err := cBytes(data, size)
		if err == nil {
			*sum = C.uint64_t(crc64nvme.Update(uint64(*sum), bytes))
		}
		return err
	})
}
