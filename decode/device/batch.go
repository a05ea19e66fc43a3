package device

import (
	"context"
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/jpegfile"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/internal/cores"
)

// Batch is a batch of images that are decoded into one block of device memory. It is for one goroutine at a time,
// except that another may call Release.
type Batch struct {
	Images []Image // in the order given to Plan
	Bytes  int     // of device memory for all images

	nvjpeg *decoder
	data   [][]byte
	state  *nvjpeg.State  // between Decode and Release
	pinned runtime.Pinner // the coded bytes of the images
	staged *spool.Buffer  // images that the host decoded
}

// Image is an image of a Batch.
type Image struct {
	Info   image.Info
	Desc   spool.Desc // uint8 RGB, HWC, [h w 3], at full size; zero if Plan found Err
	Offset int        // of its first byte in device memory: a multiple of 256
	Host   HostReason // why the host decodes it, or OnDevice
	Err    error      // why it is not decoded; its device memory is then unspecified
}

const deviceAlignment = 256 // alignment of the device's memory

// Plan reads the headers of images and lays the results out one after another. Data are lent until the result's
// Release, which the caller MUST call.
//
//	Errors: those of an image in Image.Err, with the classes of image.Decoder.Decode; Plan itself returns only ctx's.
//	Cost:   a few microseconds an image; the device is not used.
func (n *Decoder) Plan(ctx context.Context, images [][]byte) (*Batch, error) {
	b := &Batch{Images: make([]Image, len(images)), nvjpeg: n.decoder, data: images}
	for i := range images {
		if err := b.plan(ctx, i); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *Batch) plan(ctx context.Context, i int) error {
	p, limits := &b.Images[i], b.nvjpeg.decoder.Limits()
	info, err := image.ReadHeader(ctx, b.data[i], limits)
	if ctx.Err() != nil {
		return failure.Ended(ctx, ctx.Err())
	}
	if err == nil {
		p.Info = info.Detached()
		desc := hostDesc(info.Oriented())
		size, ok := desc.Bytes()
		if ok && int64(size) <= limits.MaxMemory {
			p.Desc, p.Offset, p.Host = desc, b.Bytes, hostReason(b.data[i], info)
			b.Bytes += (size + deviceAlignment - 1) / deviceAlignment * deviceAlignment
			return nil
		}
		err = limit.Exceeded("a result of %v, the limit is %d bytes", desc, limits.MaxMemory)
	}
	b.fail(p, err)
	return nil
}

// hostDesc describes an image of a batch.
func hostDesc(width, height int) spool.Desc {
	return spool.Desc{Shape: spool.Shape{height, width, 3}, DType: spool.Uint8, Layout: spool.HWC}
}

func (b *Batch) fail(p *Image, err error) {
	p.Err = err
	b.nvjpeg.failed.Add(1)
}

// Decode queues the decoding of all images on a stream. It first queues the images that nvJPEG takes. While the device
// works, the host decodes the others with profile exact, and Decode queues their copies. Memory is a CUdeviceptr to
// Bytes bytes of device memory, a multiple of 256; stream is a CUstream. The batch must be kept until the stream has
// finished, and then released. A batch is decoded once.
//
//	Errors: those of an image in Image.Err, without an effect on others. Decode itself returns those of the
//	        device, of class device, and ctx's. Then no work is in flight, and the batch must still be released.
//	Cost:   it waits for a free state, of Options.Batches. If nvJPEG refuses an image within a batch, it also
//	        waits for the stream several times, to find that image.
func (b *Batch) Decode(ctx context.Context, memory uint64, stream spool.DeviceStream) error {
	n := b.nvjpeg
	var err error
	if b.state, err = n.take(ctx); err != nil {
		return err
	}
	err = b.onDevice(ctx, memory, stream)
	if err == nil {
		err = b.onHost(ctx, memory, stream)
	}
	if err != nil {
		_ = n.context.Finish(cuda.Stream(stream)) // the device reads and writes the caller's memory
		return err
	}
	for _, p := range b.Images {
		if p.Err == nil && p.Host == OnDevice {
			n.onDevice.Add(1)
		} else if p.Err == nil {
			n.onHost[p.Host].Add(1)
		}
	}
	return nil
}

// onDevice queues the images that nvJPEG takes.
func (b *Batch) onDevice(ctx context.Context, memory uint64, stream spool.DeviceStream) error {
	c, err := call.Enter(ctx, int64(b.nvjpeg.threads))
	if err != nil {
		return failure.Ended(ctx, err)
	}
	defer c.Leave()
	defer c.Part("nvjpeg: queue", c.Begin())
	return b.nvjpeg.context.Within(func() error {
		var items []nvjpeg.Item
		var owners []*Image
		for i := range b.Images {
			p := &b.Images[i]
			if p.Err != nil || p.Host != OnDevice {
				continue
			}
			if p.Host, err = b.inspect(b.data[i], p.Info); err != nil {
				return err
			}
			if p.Host == OnDevice {
				b.pinned.Pin(unsafe.SliceData(b.data[i]))
				items = append(items, nvjpeg.Item{Data: b.data[i], To: memory + uint64(p.Offset), Pitch: 3 * p.Info.Width})
				owners = append(owners, p)
			}
		}
		if len(items) == 0 {
			return nil
		}
		return b.queue(items, owners, stream)
	})
}

// inspect asks nvJPEG whether it takes an image.
func (b *Batch) inspect(data []byte, i image.Info) (HostReason, error) {
	taken, width, height, err := b.state.Inspect(data)
	switch {
	case refused(err):
		return HostRefused, nil
	case err != nil:
		return OnDevice, err
	case taken && width == i.Width && height == i.Height:
		return OnDevice, nil
	}
	if sof, _ := jpegfile.Frame(data); sof == jpegfile.SOF2 {
		return HostProgressive, nil
	}
	return HostSampling, nil
}

func refused(err error) bool {
	status, ok := errors.AsType[nvjpeg.Status](err)
	return ok && status.Refusal()
}

// queue queues a batch. A refused batch is queued again in halves, until the refused image is found.
func (b *Batch) queue(items []nvjpeg.Item, owners []*Image, stream spool.DeviceStream) error {
	err := b.state.Decode(items, b.nvjpeg.threads, uintptr(stream))
	if !refused(err) {
		return err
	}
	if len(items) == 1 {
		owners[0].Host = HostRefused
		return b.nvjpeg.context.Finish(cuda.Stream(stream))
	}
	half := len(items) / 2
	for _, part := range [][2]int{{0, half}, {half, len(items)}} {
		if err := b.nvjpeg.context.Finish(cuda.Stream(stream)); err != nil { // a state has one batch at a time
			return err
		}
		if err := b.queue(items[part[0]:part[1]], owners[part[0]:part[1]], stream); err != nil {
			return err
		}
	}
	return nil
}

// onHost decodes the other images, as many at a time as there are cores, and queues their copies.
func (b *Batch) onHost(ctx context.Context, memory uint64, stream spool.DeviceStream) error {
	var others []int
	total := 0
	for i, p := range b.Images {
		if p.Err == nil && p.Host != OnDevice {
			n, _ := p.Desc.Bytes()
			total += n
			others = append(others, i)
		}
	}
	if total == 0 {
		return nil
	}
	n := b.nvjpeg
	var err error
	if b.staged, err = n.staging.GetFor(ctx, total, spool.Pixels); err != nil {
		return failure.Ended(ctx, err)
	}
	room := b.staged.Bytes()
	decoded := make([][]byte, len(others))
	var group errgroup.Group
	group.SetLimit(cores.Count())
	for k, i := range others {
		p := &b.Images[i]
		size, _ := p.Desc.Bytes()
		pixels := room[:size:size]
		room = room[size:]
		group.Go(func() error {
			_, err := n.decoder.DecodeInto(ctx, spool.Bytes{Data: b.data[i]}, pixels, image.Spec{})
			switch {
			case ctx.Err() != nil:
				return failure.Ended(ctx, ctx.Err())
			case err != nil:
				b.fail(p, err)
			default:
				decoded[k] = pixels
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for k, pixels := range decoded {
		if pixels == nil {
			continue
		}
		b.pinned.Pin(unsafe.SliceData(pixels))
		to := cuda.Pointer(memory + uint64(b.Images[others[k]].Offset))
		if err := n.context.ToDevice(to, pixels, cuda.Stream(stream)); err != nil {
			return err
		}
	}
	return nil
}

// Release frees what the batch holds: the pins of the coded bytes, nvJPEG's state and the host's pixels. It must be
// called once, after the stream has finished. A batch that was not decoded holds nothing else.
func (b *Batch) Release() {
	b.pinned.Unpin()
	if b.staged != nil {
		b.staged.Release()
		b.staged = nil
	}
	if b.state != nil {
		b.nvjpeg.give(b.state)
		b.state = nil
	}
	b.data = nil
}
