package queue

// Kind is what a place of a queue holds.
type Kind uint8

// The kinds of what Take returns.
const (
	empty  Kind = iota
	Result      // of an item
	Hole        // an item without a result: it failed or was filtered
	Border      // between two epochs
)

// Mark is a position in a stream.
type Mark struct {
	Kind   Kind
	Number int64 // of all items and borders
	Epoch  int   // borders before it
	Index  int64 // since the last border
}
