package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/settings"
)

// descOf returns the desc of a caller's view, whose elements must be in C order without gaps.
func descOf(view *C.spool_array_view) (d spool.Desc, err error) {
	if view == nil || view.ndim < 0 || view.ndim > C.SPOOL_MAX_DIMS || view.device_type != C.SPOOL_CPU &&
		view.device_type != C.SPOOL_CUDA_HOST {
		return d, fmt.Errorf("%w: no array of the host's memory with at most %d dimensions", spool.ErrShape, C.SPOOL_MAX_DIMS)
	}
	known := false
	for dtype, code := range dtypes {
		if code == view.dtype_code && C.int32_t(8*dtype.Size()) == view.dtype_bits {
			d.DType, known = dtype, true
		}
	}
	if !known {
		return d, fmt.Errorf("%w: elements of code %d and %d bits", spool.ErrShape, view.dtype_code, view.dtype_bits)
	}
	stride := C.int64_t(1)
	for i := int(view.ndim) - 1; i >= 0; i-- {
		if view.strides[i] != stride && view.shape[i] > 1 {
			return d, fmt.Errorf("%w: dimension %d has a stride of %d elements in place of %d", spool.ErrShape, i,
				view.strides[i], stride)
		}
		stride *= view.shape[i]
	}
	for _, n := range view.shape[:view.ndim] {
		d.Shape = append(d.Shape, int(n))
	}
	return d, nil
}

// encodeImage calls do to encode the pixels of a view.
func encodeImage(view *C.spool_array_view, json *C.char, cancel C.uintptr_t,
	do func(context.Context, []byte, spool.Desc, encode.ImageOptions) error) error {
	var o encode.ImageOptions
	if err := readOptions(json, func(set *settings.Set) func() {
		settings.Choice(set, "format", &o.Format, "", "of the file",
			map[string]encode.Format{"jpeg": encode.JPEG, "png": encode.PNG, "webp": encode.WebP,
				"avif": encode.AVIF})
		set.Number("quality", &o.Quality, "", 1, "1 to 100, of JPEG, WebP and AVIF")
		settings.Choice(set, "chroma", &o.Chroma, "420", "chroma subsampling of JPEG",
			map[string]encode.Chroma{"420": encode.Chroma420, "422": encode.Chroma422, "444": encode.Chroma444})
		set.Boolean("lossless", &o.Lossless, false, "of WebP")
		set.Number("effort", &o.Effort, "", 1, "effort spent on a small file")
		return func() { set.Check(o.Validate()) }
	}); err != nil {
		return err
	}
	d, err := descOf(view)
	if err != nil {
		return err
	}
	pixels, err := cBytes(view.data, C.size_t(view.size))
	if err != nil {
		return err
	}
	return withCancel(context.Background(), cancel, func(ctx context.Context) error { return do(ctx, pixels, d, o) })
}

//export goEncodeImage
func goEncodeImage(view *C.spool_array_view, json *C.char, cancel C.uintptr_t, file **C.spool_array,
	e *C.spool_error) C.int32_t {
	return guard(e, "encode", func() error {
		return encodeImage(view, json, cancel,
			func(ctx context.Context, pixels []byte, d spool.Desc, o encode.ImageOptions) error {
				data, err := encode.Image(ctx, pixels, d, o)
				if err == nil {
					*file, err = textArray(data)
				}
				return err
			})
	})
}

//export goWriteImage
func goWriteImage(path *C.char, view *C.spool_array_view, json *C.char, cancel C.uintptr_t,
	e *C.spool_error) C.int32_t {
	return guard(e, "encode", func() error {
		if path == nil {
			return fmt.Errorf("%w: no path", spool.ErrOptions)
		}
		return encodeImage(view, json, cancel,
			func(ctx context.Context, pixels []byte, d spool.Desc, o encode.ImageOptions) error {
				return encode.ImageFile(ctx, C.GoString(path), pixels, d, o)
			})
	})
}
