package object

import "sync"

// budget is how many requests may be sent twice: a share of all, so that a server that is slow as a whole does not
// get more to do. A few may come at once, since slow answers do.
type budget struct {
	share float64

	mu     sync.Mutex
	tokens float64
}

const burst = 8

// earn counts a request.
func (b *budget) earn() {
	b.mu.Lock()
	b.tokens = min(b.tokens+b.share, burst)
	b.mu.Unlock()
}

// spend takes a second request from the budget, if there is one in it.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
