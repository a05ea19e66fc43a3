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

// Codecs keeps decoders that are not in use, by their parameters and options, so that small files that were encoded alike
// do not pay for the set-up. It is safe for concurrent use. The zero value is ready; the owner MUST Close it.
//
// A decoder that met damage is not kept: the next file's frames are what they would be of a new one.
type Codecs struct {
	mutex sync.Mutex
	idle  []*Decoder // the one used last at the end
}

// maxDecoders bounds what is kept: a decoder holds the frames it refers to, some MB of a large picture.
const maxDecoders = 16

// Get gives a decoder as NewDecoder does, one that is idle if there is. It is to be given back by Put, or closed.
func (k *Codecs) Get(c *call.Call, p Parameters, o DecoderOptions) (*Decoder, error) {
	if d := k.take(p, o); d != nil {
		d.reset(p, o)
		return d, nil
	}
	return NewDecoder(c, p, o)
}

func (k *Codecs) take(p Parameters, o DecoderOptions) *Decoder {
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

// Put gives a decoder back, which must not be used any more.
func (k *Codecs) Put(d *Decoder) {
	if d.codec == nil {
		return
	}
	if d.damaged || d.options.Threads > 1 { // whose threads would stay
		_ = d.Close()
		return
	}
	d.Flush() // lets go of the frames as well
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

// Close closes the decoders that are idle. It returns nil; the pool can be used, and closed, again.
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

// fits reports whether the decoder is as a new one would be.
func (d *Decoder) fits(p Parameters, o DecoderOptions) bool {
	if d.parameters.Codec != p.Codec || !bytes.Equal(d.parameters.Extradata, p.Extradata) ||
		d.options.Name != o.Name || d.options.Device != o.Device || d.options.CUDA != o.CUDA || max(d.options.Threads, 1) != max(o.Threads, 1) || !maps.Equal(d.options.Options, o.Options) {
		return false
	}
	return reflect.DeepEqual(d.parameters.coded(), p.coded())
}

// coded are the parameters that a decoder is set up by.
func (p Parameters) coded() Parameters {
	p.TimeBase, p.Extradata = Ratio{}, nil // one is set anew, the other compared already
	if p.Width > 0 {
		p.BitRate = 0 // no video decoder asks for it, and hardly two files have the same
	}
	return p
}

// reset makes the decoder what it was when it was opened.
func (d *Decoder) reset(p Parameters, o DecoderOptions) {
	d.parameters, d.options = p, o
	C.spool_av_decoder_reset(pointer(d.codec), C.int(p.TimeBase.Num), C.int(p.TimeBase.Den), pixels(o.MaxPixels), C.int(p.Delay))
}
