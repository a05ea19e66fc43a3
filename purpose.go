package spool

// Purpose is the use of a buffer. Pools count their bytes by purpose.
type Purpose uint8

const (
	Other        Purpose = iota
	Compressed           // coded bytes, before they are decoded
	Scratch              // working memory of a decoder or a kernel
	Pixels               // decoded images and frames, and the samples of a cache
	Slab                 // the samples of a batch
	AudioSamples         // decoded audio
	Ranges               // parts of remote objects, before they are read
	purposes
)

// String returns the purpose's name in statistics.
func (p Purpose) String() string {
	return [...]string{"other", "compressed", "scratch", "pixels", "slab", "audio", "ranges"}[min(p, purposes-1)]
}
