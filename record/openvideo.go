package record

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
)

// OpenVideo is a video with its file, used by one sample. Its user calls Return, and never the video's Close.
type OpenVideo struct {
	*video.Video
	file *openFile
}

// Return gives the video back to the OpenFiles that it is from, which keep it unless err is an error of decoding it.
// The error is one of closing. The caller may no longer use the video.
func (v *OpenVideo) Return(err error) error { return v.file.giveBack(err) }

// Video returns a video of an object's file: one that is kept, or else a new one. Videos are told apart by the identity
// of the object and by Stream; other options must always be the same. A nil OpenFiles keeps none.
//
//	Ownership: the object is handed over, also on errors. The caller returns the video with Return, before Close of d.
//	Errors:    those of video.Decoder.Open.
func (o *OpenFiles) Video(ctx context.Context, d *video.Decoder, object spool.Object,
	options video.OpenOptions) (*OpenVideo, error) {
	return o.video(ctx, d, share(object), keyOf(object, "", options.Stream), options)
}

// video is Video with the key. It takes over one use of the object.
func (o *OpenFiles) video(ctx context.Context, d *video.Decoder, object *shared, key fileKey,
	options video.OpenOptions) (*OpenVideo, error) {
	if f := o.find(key); f != nil {
		return &OpenVideo{f.medium.(*video.Video), f}, object.leave()
	}
	v, err := openVideo(ctx, d, object.Object, options)
	if err != nil {
		_ = object.leave() // err says what is wrong
		return nil, err
	}
	v.file.object = object
	o.add(v.file, key)
	return v, nil
}

// framesHeld is how many frames an open decoder is taken to hold: references, and those in its threads.
const framesHeld = 16

// openVideo opens a video that is not kept. The object is lent until its Return.
func openVideo(ctx context.Context, d *video.Decoder, object spool.Object, o video.OpenOptions) (*OpenVideo, error) {
	v, err := d.Open(ctx, object, o)
	if err != nil {
		return nil, err
	}
	info := v.Info()
	sample := int64(1)
	if info.Bits > 8 {
		sample = 2
	}
	bytes := int64(info.Width) * int64(info.Height) * 3 / 2 * sample * framesHeld
	return &OpenVideo{v, &openFile{medium: v, bytes: bytes}}, nil
}

// openVideo returns an open video of a field's file, for this record.
func (r *run) openVideo(f *field, o video.OpenOptions) (v *OpenVideo, err error) {
	o.Workers = max(o.Workers, 1) // other workers decode other records
	object := r.inputs[f.input]
	if owned := r.owned[f.input]; owned == nil || r.decoders.Open == nil {
		v, err = openVideo(r.ctx, r.decoders.Videos, object, o)
	} else {
		v, err = r.decoders.Open.video(r.ctx, r.decoders.Videos, owned.use(), keyOf(object, f.Name, o.Stream), o)
	}
	if err == nil {
		r.opened = append(r.opened, v)
	}
	return v, err
}
