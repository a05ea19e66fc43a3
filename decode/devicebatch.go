package decode

import (
	"context"
	"errors"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
)

// DeviceBatch is pictures that are decoded into one piece of a device's memory. It belongs to one goroutine at a
// time, save that Release may be called by another.
type DeviceBatch struct {
	Pictures []DevicePicture // in the order they were given in
	Bytes    int             // of the device's memory that they take

	nvjpeg *nvJPEG
	data   [][]byte
	state  *nvjpeg.State  // while the batch is under way
	pinned runtime.Pinner // the pictures' bytes
	staged *spool.Buffer  // pictures that the host decoded
}

// DevicePicture is a picture of a DeviceBatch.
type DevicePicture struct {
	Info   ImageInfo
	Desc   spool.Desc // uint8 RGB, HWC, [h w 3], of the picture's own size; zero where Err was known before Decode
	Offset int        // of its first byte in the memory: a multiple of 256
	Host   HostReason // why the host decodes it, or OnDevice
	Err    error      // it is not decoded, and its memory, if it has any, is unspecified
}

const deviceGrain = 256 // what the device aligns its memory to

// Plan reads the headers of pictures and lays them out, one behind the other. Data are lent until the result's
// Release, which the caller MUST call.
//
//	Errors: of a picture in its place, with the classes of Decoder.Image; Plan's own is ctx's.
//	Cost:   a few microseconds a picture; no device is asked.
func (n *NvJPEG) Plan(ctx context.Context, pictures [][]byte) (*DeviceBatch, error) {
	b := &DeviceBatch{Pictures: make([]DevicePicture, len(pictures)), nvjpeg: n.nvJPEG, data: pictures}
	for i := range pictures {
		if err := b.plan(ctx, i); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *DeviceBatch) plan(ctx context.Context, i int) error {
	p, limits := &b.Pictures[i], b.nvjpeg.decoder.limits
	_, info, err := header(ctx, b.data[i], 0, 0, limits)
	if ctx.Err() != nil {
		return ended(ctx, ctx.Err())
	}
	if err == nil {
		p.Info = info
		desc := ImageSpec{}.desc(info.Oriented())
		size, ok := desc.Bytes()
		if ok && int64(size) <= limits.MaxMemory {
			p.Desc, p.Offset, p.Host = desc, b.Bytes, hostReason(b.data[i], info)
			b.Bytes += (size + deviceGrain - 1) / deviceGrain * deviceGrain
			return nil
		}
		err = tooLarge("a result of %v, the limit is %d bytes", desc, limits.MaxMemory)
	}
	b.fail(p, err)
	return nil
}

func (b *DeviceBatch) fail(p *DevicePicture, err error) {
	p.Err = err
	b.nvjpeg.failed.Add(1)
}

// Decode queues the decoding of all pictures in a stream: first those that nvJPEG takes, then, while the device works, copies of
// those that the host decodes meanwhile, by profile exact. Memory is Bytes of the device's, a CUdeviceptr at a multiple of
// 256; stream is a CUstream. The batch has to be kept until the stream is through, and then released. One batch is decoded once.
//
//	Errors: of a picture in its place, of which other pictures know nothing; Decode's own are the device's, of class device, and
//	        ctx's. Then nothing is under way any more, and the batch is still to be released.
//	Cost:   it waits for a state, of NvJPEGOptions.Batches; where nvJPEG refuses a picture in the middle of a batch
//	        it also waits for the stream, some times, to find which one.
func (b *DeviceBatch) Decode(ctx context.Context, memory uint64, stream uintptr) error {
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
		_ = n.context.Finish(cuda.Stream(stream)) // the device reads and writes what is the caller's
		return err
	}
	for _, p := range b.Pictures {
		if p.Err == nil && p.Host == OnDevice {
			n.onDevice.Add(1)
		} else if p.Err == nil {
			n.onHost[p.Host].Add(1)
		}
	}
	return nil
}

// onDevice queues what nvJPEG takes.
func (b *DeviceBatch) onDevice(ctx context.Context, memory uint64, stream uintptr) error {
	c, err := call.Enter(ctx, int64(b.nvjpeg.threads))
	if err != nil {
		return ended(ctx, err)
	}
	defer c.Leave()
	return b.nvjpeg.context.Within(func() error {
		var items []nvjpeg.Item
		var owners []*DevicePicture
		for i := range b.Pictures {
			p := &b.Pictures[i]
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

// inspect asks nvJPEG whether it takes a picture.
func (b *DeviceBatch) inspect(data []byte, i ImageInfo) (HostReason, error) {
	taken, width, height, err := b.state.Inspect(data)
	switch {
	case refused(err):
		return HostRefused, nil
	case err != nil:
		return OnDevice, err
	case taken && width == i.Width && height == i.Height:
		return OnDevice, nil
	}
	if sof, _ := jpegFrame(data); sof == jpegSOF2 {
		return HostProgressive, nil
	}
	return HostSampling, nil
}

func refused(err error) bool {
	status, ok := errors.AsType[nvjpeg.Status](err)
	return ok && status.Refusal()
}

// queue queues a batch. One that is refused is queued in halves, until it is clear which picture it is for.
func (b *DeviceBatch) queue(items []nvjpeg.Item, owners []*DevicePicture, stream uintptr) error {
	err := b.state.Decode(items, b.nvjpeg.threads, stream)
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

// onHost decodes the other pictures, and queues their copies.
func (b *DeviceBatch) onHost(ctx context.Context, memory uint64, stream uintptr) error {
	total := 0
	for _, p := range b.Pictures {
		if p.Err == nil && p.Host != OnDevice {
			n, _ := p.Desc.Bytes()
			total += n
		}
	}
	if total == 0 {
		return nil
	}
	n := b.nvjpeg
	var err error
	if b.staged, err = n.staging.GetFor(ctx, total, spool.Pixels); err != nil {
		return ended(ctx, err)
	}
	room := b.staged.Bytes()
	for i := range b.Pictures {
		p := &b.Pictures[i]
		if p.Err != nil || p.Host == OnDevice {
			continue
		}
		size, _ := p.Desc.Bytes()
		pixels := room[:size:size]
		room = room[size:]
		if _, err := n.decoder.ImageInto(ctx, b.data[i], pixels, ImageSpec{}); ctx.Err() != nil {
			return ended(ctx, ctx.Err())
		} else if err != nil {
			b.fail(p, err)
			continue
		}
		b.pinned.Pin(unsafe.SliceData(pixels))
		if err := n.context.ToDevice(cuda.Pointer(memory+uint64(p.Offset)), pixels, cuda.Stream(stream)); err != nil {
			return err
		}
	}
	return nil
}

// Release gives back what the batch held: the pictures' bytes, nvJPEG's state and the host's pixels. It is to be called when the stream is
// through, once; a batch that was not decoded holds nothing else.
func (b *DeviceBatch) Release() {
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
