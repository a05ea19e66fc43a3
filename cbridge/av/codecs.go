package av

/*
#include "av.h"
*/
import "C"

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/spoolmedia/spool/cbridge/call"
)

// Codecs is a pool of idle decoders, by their parameters and options. Small files with equal encoding share a decoder,
// and save its set-up. It is safe for concurrent use. The zero value is ready; the owner MUST Close it.
//
// A decoder that met damage is not reused, so the frames of the next file equal those of a new decoder.
type Codecs struct {
	mutex sync.Mutex
	idle  []*Decoder // least recently used first
}

// maxDecoders bounds the pool. A decoder holds its reference frames, several MB for large images.
const maxDecoders = 16

// Get returns an idle decoder, or a new one as NewDecoder does. The caller returns it with Put, or closes it.
func (k *Codecs) Get(c *call.Call, p Parameters, o DecoderOptions) (*Decoder, error) {
	if d := k.findIdle(p, o); d != nil {
		d.reset(p, o)
		return d, nil
	}
	return NewDecoder(c, p, o)
}

func (k *Codecs) findIdle(p Parameters, o DecoderOptions) *Decoder {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for i, d := range slices.Backward(k.idle) {
		if d.fits(p, o) {
			k.idle = slices.Delete(k.idle, i, i+1)
			return d
		}
	}
	return nil
}

// Put returns a decoder to the pool. The caller must not use it afterwards.
func (k *Codecs) Put(d *Decoder) {
	if d.codec == nil {
		return
	}
	if d.damaged || d.age.stale() || d.options.Threads > 1 { // threads would keep running
		_ = d.Close()
		return
	}
	d.Flush() // also releases its frames
	k.mutex.Lock()
	k.idle = append(k.idle, d)
	var oldest *Decoder
	if len(k.idle) > maxDecoders {
		oldest = k.idle[0]
		k.idle = slices.Delete(k.idle, 0, 1)
	}
	k.mutex.Unlock()
	if oldest != nil {
		_ = oldest.Close()
	}
}

// Close closes the idle decoders. It returns nil. The pool can be used again, and closed again.
func (k *Codecs) Close() error {
	k.mutex.Lock()
	idle := k.idle
	k.idle = nil
	k.mutex.Unlock()
	for _, d := range idle {
		_ = d.Close()
	}
	return nil
}

// fits reports whether the decoder can replace a new one.
func (d *Decoder) fits(p Parameters, o DecoderOptions) bool {
	if d.age.stale() || d.parameters.Codec != p.Codec || !bytes.Equal(d.parameters.Extradata, p.Extradata) ||
		d.options.Name != o.Name || d.options.Device != o.Device || d.options.CUDA != o.CUDA ||
		max(d.options.Threads, 1) != max(o.Threads, 1) || !maps.Equal(d.options.Options, o.Options) {
		return false
	}
	return reflect.DeepEqual(d.parameters.coded(), p.coded())
}

// coded returns the parameters that determine a decoder's set-up.
func (p Parameters) coded() Parameters {
	p.TimeBase, p.Extradata = Ratio{}, nil // the first is set by reset, the second is compared separately
	if p.Width > 0 {
		p.BitRate = 0 // video decoders ignore it, and it differs between most files
	}
	return p
}

// reset restores the decoder to its state after opening.
func (d *Decoder) reset(p Parameters, o DecoderOptions) {
	d.parameters, d.options = p, o
	C.spool_av_decoder_reset(pointer(d.codec), C.int(p.TimeBase.Num), C.int(p.TimeBase.Den), pixels(o.MaxPixels),
		C.int(p.Delay))
}
