package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

//export goList
func goList(sources **C.char, n C.size_t, options *C.char, cancel C.uintptr_t, to *C.spool_listing,
	e *C.spool_error) C.int32_t {
	return guard(e, "list", func() error {
		var l settings.Listing
		if err := readOptions(options, func(set *settings.Set) func() {
			set.Listing(&l)
			return func() {
				if n == 0 {
					set.Refuse("sources: nothing to list; give files, folders, patterns or @lists")
				}
			}
		}); err != nil {
			return err
		}
		return withCancel(context.Background(), cancel, func(ctx context.Context) (err error) {
			stores, err := object.New(l.Stores)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, stores.Close()) }()
			found, err := l.Open(ctx, namesOf(sources, n), stores)
			if err != nil {
				return err
			}
			return handListing(to, found)
		})
	})
}

// namesOf returns the texts of an array of C.
func namesOf(texts **C.char, n C.size_t) []string {
	names := make([]string, n)
	for i, text := range unsafe.Slice(texts, n) {
		names[i] = C.GoString(text)
	}
	return names
}

// listingInfo is the info of a spool_listing.
type listingInfo struct {
	Classes []string `json:"classes"`
	Notices []string `json:"notices,omitempty"`
	LeftOut int      `json:"left_out,omitempty"`
}

// handListing passes the samples of a listing to C.
func handListing(to *C.spool_listing, found *source.Listing) (err error) {
	n := found.Len()
	var names, keys []byte
	labels, sizes := make([]int64, n), make([]int64, n)
	for i := range n {
		item := found.Item(i)
		names, keys = append(append(names, item.Name...), 0), append(append(keys, item.Key...), 0)
		labels[i], sizes[i] = item.Label, -1
		if entry, known := found.Entry(i); known && entry.Size > 0 {
			sizes[i] = entry.Size
		}
	}
	info := listingInfo{found.Classes(), settings.AllAs(found.Notices(), settings.AsKeys), found.Skipped().Rows}
	listing := C.spool_listing{count: C.int64_t(n)}
	defer func() {
		if err != nil {
			C.spool_listing_release(&listing)
		}
	}()
	if listing.names, err = textArray(names); err != nil {
		return err
	}
	if listing.keys, err = textArray(keys); err != nil {
		return err
	}
	if listing.labels, err = integerArray(labels); err != nil {
		return err
	}
	if listing.sizes, err = integerArray(sizes); err != nil {
		return err
	}
	if listing.info, err = jsonArray(info); err != nil {
		return err
	}
	*to = listing
	return nil
}

// integerArray passes integers to C.
func integerArray(values []int64) (*C.spool_array, error) {
	d := spool.Desc{DType: spool.Int64, Shape: spool.Shape{len(values)}}
	b, err := library.results.Get(context.Background(), 8*len(values))
	if err != nil {
		return nil, err
	}
	if len(values) > 0 {
		copy(unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(b.Bytes()))), len(values)), values)
	}
	b.SetDesc(d)
	return bufferArray(b)
}
