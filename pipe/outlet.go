package pipe

// outlet is a queue that one worker fills, with items that it numbers itself.
type outlet[T any] struct {
	*queue[T]
	at mark
}

// pass passes an item on, in a reserved place.
func (o *outlet[T]) pass(item T) {
	o.put(o.at, item)
	o.at.number++
}

// endEpoch passes a border on, in a reserved place.
func (o *outlet[T]) endEpoch() {
	o.border(nil, o.at)
	o.at.number++
}

// nothing passes a hole on, in a reserved place.
func (o *outlet[T]) nothing() {
	o.drop(o.at)
	o.at.number++
}

// fail ends the stream with err, after everything that was passed on.
func (o *outlet[T]) fail(err error) { o.finish(o.at, err) }
