package queue

// Outlet is a queue that one worker fills, with items that it numbers itself.
type Outlet[T any] struct {
	*Queue[T]
	at Mark
}

// NewOutlet returns an outlet to a queue.
func NewOutlet[T any](q *Queue[T]) Outlet[T] { return Outlet[T]{Queue: q} }

// Pass passes an item on, in a reserved place.
func (o *Outlet[T]) Pass(item T) {
	o.Put(o.at, item)
	o.at.Number++
}

// Number is that of the next item.
func (o *Outlet[T]) Number() int64 { return o.at.Number }

// EndEpoch passes a border on, in a reserved place.
func (o *Outlet[T]) EndEpoch() {
	o.Border(nil, o.at)
	o.at.Number++
}

// Nothing passes a hole on, in a reserved place.
func (o *Outlet[T]) Nothing() {
	o.Drop(o.at)
	o.at.Number++
}

// Fail ends the stream with err, after everything that was passed on.
func (o *Outlet[T]) Fail(err error) { o.Finish(o.at, err) }
