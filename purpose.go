package spool

// Purpose is what a buffer is used for. Pools count their bytes by it.
type Purpose uint8

const (
	Other      Purpose = iota
	Compressed         // bytes of a file on their way to a decoder
	Scratch            // working memory of a decoder or a kernel
	Pixels             // one decoded picture
	Slab               // the samples of a batch
	Sound              // one decoded sound
	purposes
)

// String is the purpose's name in statistics.
func (p Purpose) String() string {
	return [...]string{"other", "compressed", "scratch", "pixels", "slab", "sound"}[min(p, purposes-1)]
}
