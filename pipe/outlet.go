package pipe

// outlet is a queue as one worker fills it, that numbers what it hands on itself.
type outlet[T any] struct {
	*queue[T]
	at mark
}

// pass hands an item on, in a place that was reserved.
func (o *outlet[T]) pass(item T) {
	o.put(o.at, item)
	o.at.number++
}

// endEpoch hands a border on, in a place that was reserved.
func (o *outlet[T]) endEpoch() {
	o.border(nil, o.at)
	o.at.number++
}

// nothing hands a hole on, in a place that was reserved.
func (o *outlet[T]) nothing() {
	o.drop(o.at)
	o.at.number++
}

// fail ends the stream with err, behind all that was handed on.
func (o *outlet[T]) fail(err error) { o.finish(o.at, err) }
