package decode

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
)

// NvJPEGLane says what of a device decodes JPEG pictures.
type NvJPEGLane uint8

const (
	NvJPEGAuto   NvJPEGLane = iota // its JPEG engine where it has one, else its cores
	NvJPEGEngine                   // its JPEG engine, of A100, H100 and their kin: baseline pictures
	NvJPEGCores                    // its cores, with entropy coding on the host where batches are small
)

// NvJPEGOptions are an NvJPEG's settings.
type NvJPEGOptions struct {
	Device  int    // which one, from 0
	Driver  string // the CUDA driver's file, as the dynamic linker finds it; "" means libcuda.so.1
	Library string // nvJPEG's; "" means the newest of libnvjpeg.so.13, .12 and .11
	Lane    NvJPEGLane

	// Batches is how many may be under way at once, each with working memory of nvJPEG's. 0 means 2.
	Batches int
	// Threads of the host's help one batch with entropy coding where the engine does not decode. 0 means 1.
	Threads int
	// Staging is where pictures wait for their copy that the host decoded. Of memory that the device knows (transfer's
	// pinned) the device copies by itself. nil means a pool of the host's plain memory, as large as Limits.MaxMemory.
	Staging *spool.Pool
}

// NvJPEG decodes batches of JPEG pictures on a CUDA device, by nvJPEG, and on the host what that does not take. It is
// safe for concurrent use; each batch under way has a state of its own.
//
// Its pixels are close to those of profile exact, and not the same: nvJPEG has an inverse DCT and an upsampling of its own. It
// is for those who choose it, and never chosen by itself.
type NvJPEG struct {
	*nvJPEG
	cleanup runtime.Cleanup
}

type nvJPEG struct {
	decoder *Decoder
	context *cuda.Context
	library string // its version
	codec   *nvjpeg.Codec
	threads int
	staging *spool.Pool
	owned   bool // staging is ours to close
	states  chan *nvjpeg.State
	made    int
	users   users // batches that have a state

	onDevice, failed atomic.Int64
	onHost           [hostReasons]atomic.Int64
}

// NvJPEG opens nvJPEG on a device. The caller owns it and MUST Close it, before the Decoder.
//
//	Errors: class device, where there is no driver, device or nvJPEG, or the device lacks the lane; ErrOptions.
//	Cost:   the first use of a device in a process initialises it, which takes a good part of a second.
func (d *Decoder) NvJPEG(o NvJPEGOptions) (*NvJPEG, error) {
	if o.Lane > NvJPEGCores || o.Device < 0 || o.Batches < 0 || o.Threads < 0 {
		return nil, fmt.Errorf("%w: lane %d of device %d, %d batches, %d threads", spool.ErrOptions, o.Lane, o.Device, o.Batches, o.Threads)
	}
	driver, err := cuda.Load(o.Driver)
	if err != nil {
		return nil, err
	}
	library, err := nvjpeg.Load(o.Library)
	if err != nil {
		return nil, err
	}
	n := &nvJPEG{decoder: d, library: library.Version(), threads: max(o.Threads, 1), staging: o.Staging}
	n.users.what, n.users.end = "batches of nvJPEG's", n.end
	if n.context, err = driver.Open(o.Device); err != nil {
		return nil, err
	}
	if err := n.open(library, o); err != nil {
		return nil, errors.Join(err, n.end())
	}
	made := &NvJPEG{nvJPEG: n}
	made.cleanup = runtime.AddCleanup(made, func(n *nvJPEG) { _ = n.users.close() }, n)
	return made, nil
}

func (n *nvJPEG) open(library *nvjpeg.Library, o NvJPEGOptions) (err error) {
	if n.staging == nil {
		if n.staging, err = spool.NewPool(spool.PoolOptions{MaxBytes: n.decoder.limits.MaxMemory}); err != nil {
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

// Engine reports whether the device's JPEG engine decodes, and not its cores.
func (n *nvJPEG) Engine() bool { return n.codec.Hardware() }

// Version is nvJPEG's, "12.4.0" for example.
func (n *nvJPEG) Version() string { return n.library }

// NvJPEGCounts say what has become of the pictures of all batches so far.
type NvJPEGCounts struct {
	Device int64            `json:"device"`         // decoded there
	Host   map[string]int64 `json:"host,omitempty"` // decoded on the host, by the reason
	Failed int64            `json:"failed"`         // not decoded: DevicePicture.Err
}

// Counts are the counters. It may be called at any time.
func (n *nvJPEG) Counts() NvJPEGCounts {
	c := NvJPEGCounts{Device: n.onDevice.Load(), Failed: n.failed.Load()}
	for reason := range n.onHost {
		if count := n.onHost[reason].Load(); count > 0 {
			if c.Host == nil {
				c.Host = map[string]int64{}
			}
			c.Host[HostReason(reason).String()] = count
		}
	}
	return c
}

// take waits for a state that no batch uses.
func (n *nvJPEG) take(ctx context.Context) (*nvjpeg.State, error) {
	select {
	case s := <-n.states:
		if !n.users.add() {
			n.states <- s
			return nil, fmt.Errorf("%w: nvJPEG", spool.ErrClosed)
		}
		return s, nil
	case <-ctx.Done():
		return nil, ended(ctx, ctx.Err())
	}
}

// give takes a state back. The last one, of a closed nvJPEG, ends it.
func (n *nvJPEG) give(s *nvjpeg.State) {
	n.states <- s
	n.users.leave()
}

// Close frees what nvJPEG holds. While there are batches that were decoded and not released it returns ErrLeaked, and the
// last Release frees the rest. A second Close does nothing more. It must not be called while Decode is under way.
func (n *NvJPEG) Close() error {
	n.cleanup.Stop()
	return n.users.close()
}

// end frees everything, and gives the first error.
func (n *nvJPEG) end() (first error) {
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

// ending does what ends something, also where a first attempt to enter the context gave an error, which is told.
func (n *nvJPEG) ending(do func() error) error {
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
