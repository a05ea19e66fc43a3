package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/lifetime"
	"github.com/spoolmedia/spool/internal/enum"
)

// Lane chooses the part of a device that decodes JPEG images.
type Lane uint8

const (
	Auto   Lane = iota // Engine if the device has one, else Cores
	Engine             // the JPEG engine of A100, H100 and similar devices: baseline images
	Cores              // the cores; the host does the entropy coding of small batches
)

// Options configure a Decoder.
type Options struct {
	Device  string // name of the device, "cuda:1"; "" means "cuda:0"
	Driver  string // file name of the CUDA driver for the dynamic linker; "" means libcuda.so.1
	Library string // file name of nvJPEG; "" means the newest of libnvjpeg.so.13, .12 and .11
	Lane    Lane

	// Batches is the number of batches in flight, each with nvJPEG's scratch memory. 0 means 2.
	Batches int
	// Threads is the number of host threads that help one batch with entropy coding where the engine does not decode. 0
	// means 1.
	Threads int
	// Staging holds host-decoded images until they are copied. From memory that is registered with the device (pinned
	// memory of package transfer) the device copies by itself. nil means a pool of pageable host memory with a ceiling of
	// Limits.MaxMemory.
	Staging *spool.Pool
}

// Decoder decodes batches of JPEG images with nvJPEG on a CUDA device. Images that nvJPEG does not decode are decoded
// on the host. It is safe for concurrent use; each batch in flight has a separate state.
//
// Its pixels are close to those of profile exact, but not equal: nvJPEG has another inverse DCT and another upsampling.
// It is used only where a caller chooses it.
type Decoder struct {
	*decoder
	cleanup runtime.Cleanup
}

type decoder struct {
	decoder *image.Decoder
	context *cuda.Context
	library string // nvJPEG's version
	codec   *nvjpeg.Codec
	threads int
	staging *spool.Pool
	owned   bool // staging was made here and is closed by end
	states  chan *nvjpeg.State
	made    int
	users   lifetime.Users // batches with a state

	onDevice, failed atomic.Int64
	onHost           [hostReasons]atomic.Int64
}

// New opens nvJPEG on a device. Images decodes what nvJPEG does not. The caller owns the result and MUST close it
// before the Decoder.
//
//	Errors: class device without a driver, device or nvJPEG, or if the device lacks the lane; ErrOptions.
//	Cost:   the first use of a device in a process initializes it, which takes a good part of a second.
func New(images *image.Decoder, o Options) (*Decoder, error) {
	name := cmp.Or(o.Device, cuda.Name(0))
	device, err := cuda.ParseName(name)
	if o.Lane > Cores || o.Batches < 0 || o.Threads < 0 {
		err = errors.Join(err, fmt.Errorf("%w: lane %d, %d batches, %d threads", spool.ErrOptions, o.Lane, o.Batches,
			o.Threads))
	}
	if err != nil {
		return nil, err
	}
	driver, err := cuda.Load(o.Driver)
	if err != nil {
		return nil, spool.InFile(err, name)
	}
	library, err := nvjpeg.Load(o.Library)
	if err != nil {
		return nil, err
	}
	n := &decoder{decoder: images, library: library.Version(), threads: max(o.Threads, 1), staging: o.Staging}
	n.users.What, n.users.End = "batches of nvJPEG", n.end
	if n.context, err = driver.Open(device); err != nil {
		return nil, spool.InFile(err, name)
	}
	if err := n.open(library, o); err != nil {
		return nil, errors.Join(err, n.end())
	}
	made := &Decoder{decoder: n}
	made.cleanup = runtime.AddCleanup(made, func(n *decoder) { _ = n.users.Close() }, n)
	return made, nil
}

func (n *decoder) open(library *nvjpeg.Library, o Options) (err error) {
	if n.staging == nil {
		if n.staging, err = spool.NewPool(spool.PoolOptions{MaxBytes: n.decoder.Limits().MaxMemory}); err != nil {
			return err
		}
		n.owned = true
	}
	batches := o.Batches
	if batches == 0 {
		batches = 2
	}
	n.states = make(chan *nvjpeg.State, batches)
	backend := [...]nvjpeg.Backend{nvjpeg.Auto, nvjpeg.Hardware, nvjpeg.Shaders}[o.Lane]
	return n.context.Within(func() (err error) {
		if n.codec, err = library.Open(backend); err != nil {
			return err
		}
		for range batches {
			state, err := n.codec.NewState()
			if err != nil {
				return err
			}
			n.states <- state
			n.made++
		}
		return nil
	})
}

// Engine reports whether the device's JPEG engine decodes, not its cores.
func (n *Decoder) Engine() bool { return n.codec.Hardware() }

// Version is nvJPEG's version, for example "12.4.0".
func (n *Decoder) Version() string { return n.library }

// Counts counts the images of all batches so far by result.
type Counts struct {
	Device int64            `json:"device"`         // decoded on the device
	Host   map[string]int64 `json:"host,omitempty"` // decoded on the host, by reason
	Failed int64            `json:"failed"`         // not decoded: Image.Err
}

// Counts returns the counters. It may be called at any time.
func (n *Decoder) Counts() Counts {
	c := Counts{Device: n.onDevice.Load(), Failed: n.failed.Load()}
	c.Host = enum.Counts(n.onHost[:], func(reason int) string { return HostReason(reason).String() })
	return c
}

// take waits for an unused state.
func (n *decoder) take(ctx context.Context) (*nvjpeg.State, error) {
	select {
	case s := <-n.states:
		if !n.users.Add() {
			n.states <- s
			return nil, fmt.Errorf("%w: nvJPEG", spool.ErrClosed)
		}
		return s, nil
	case <-ctx.Done():
		return nil, failure.Ended(ctx, ctx.Err())
	}
}

// give returns a state. After Close, the last state returned frees everything.
func (n *decoder) give(s *nvjpeg.State) {
	n.states <- s
	n.users.Leave()
}

// Close frees nvJPEG's resources. While decoded batches are unreleased it returns ErrLeaked, and the last Release frees
// the rest. A second Close does nothing more. Close must not be called during Decode.
func (n *Decoder) Close() error {
	n.cleanup.Stop()
	return n.users.Close()
}

// end frees everything and returns the first error.
func (n *decoder) end() (first error) {
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for range n.made {
		keep(n.ending((<-n.states).Close))
	}
	if n.codec != nil {
		keep(n.ending(n.codec.Close))
	}
	keep(n.context.Close())
	if n.owned {
		keep(n.staging.Close())
	}
	return first
}

// ending runs do even where the first attempt to enter the context fails, and returns the error of that attempt.
func (n *decoder) ending(do func() error) error {
	done := false
	err := n.context.Within(func() error {
		done = true
		return do()
	})
	if !done {
		_ = n.context.Within(do)
	}
	return err
}
