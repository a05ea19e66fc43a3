package mem

// Purpose is the use of a block. Statistics are kept by purpose.
type Purpose uint8

const (
	Sink    Purpose = iota // a row sink and its tables
	Reader                 // the state of a reader that C calls back
	Scratch                // working memory of one call
	Tensor                 // an array exported to another library
	purposes
)

// String returns the purpose's name in statistics.
func (p Purpose) String() string {
	return [...]string{"sink", "reader", "scratch", "tensor", "unknown"}[min(p, purposes)]
}
