package record

import (
	"context"
	"errors"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/audio"
)

// Audio calls decode with the audio of an object's file: one that is kept, or else a new one. The results of decode are
// those of a file that was just opened: where a kept one fails, finds damage, or changes its engine, decode is called
// again with a new one. Audio is told apart by the identity of the object and by Stream; other options must always be
// the same. Files in memory and remote ones are not kept, and none with Near, whose samples depend on earlier windows.
// A nil OpenFiles keeps none.
//
//	Ownership: the object is handed over, also on errors.
//	Errors:    those of audio.Decoder.Open, and of decode.
func (o *OpenFiles) Audio(ctx context.Context, d *audio.Decoder, object spool.Object, options audio.OpenOptions,
	decode func(*audio.Audio) (audio.Report, error)) error {
	return o.audio(ctx, d, share(object), keyOf(object, "", options.Stream), options, decode)
}

// audio is Audio with the key. It takes over one use of the object.
func (o *OpenFiles) audio(ctx context.Context, d *audio.Decoder, object *shared, key fileKey, options audio.OpenOptions,
	decode func(*audio.Audio) (audio.Report, error)) error {
	if _, inMemory := object.Object.(spool.Bytes); inMemory || object.Info().Remote || options.Near {
		key.identity = ""
	}
	if f := o.find(key); f != nil {
		if whole, err := decodeWhole(f.medium.(*audio.Audio), decode); whole && err == nil {
			return errors.Join(f.giveBack(nil), object.leave())
		}
		if err := f.close(); err != nil {
			return errors.Join(err, object.leave())
		}
	}
	a, err := d.Open(ctx, object.Object, options)
	if err != nil {
		_ = object.leave() // err says what is wrong
		return err
	}
	f := &openFile{medium: a, object: object, bytes: audioHeld}
	o.add(f, key)
	whole, err := decodeWhole(a, decode)
	f.failed = !whole
	return errors.Join(err, f.giveBack(err))
}

// audioHeld is the memory that open audio is taken to hold.
const audioHeld = 1 << 20

// decodeWhole calls decode, and reports whether the file was regular as far as it was read.
func decodeWhole(a *audio.Audio, decode func(*audio.Audio) (audio.Report, error)) (whole bool, err error) {
	engine := a.Trace()
	report, err := decode(a)
	return len(report.Damage) == 0 && a.Trace() == engine, err
}

// openAudio calls decode with the audio of a field's file.
func (r *run) openAudio(f *field, o audio.OpenOptions, decode func(*audio.Audio) (audio.Report, error)) error {
	object, owned, kept := r.inputs[f.input], r.owned[f.input], r.decoders.Open
	if owned == nil {
		owned, kept = share(object), nil // never closed here: the caller of Decode has it
	}
	return kept.audio(r.ctx, r.decoders.Audios, owned.use(), keyOf(object, f.Name, o.Stream), o, decode)
}
