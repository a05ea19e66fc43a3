package queue

// Kind is the content of a place in a queue, which Take returns.
type Kind uint8

// Kinds of places.
const (
	empty  Kind = iota
	Result      // of an item
	Hole        // an item without a result: it failed or was filtered
	Border      // between two epochs
)

// Mark is a position in a stream.
type Mark struct {
	Kind   Kind
	Number int64 // number of items and borders before it
	Epoch  int   // number of borders before it
	Index  int64 // number of items since the last border
}
