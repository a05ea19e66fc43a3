package object

import "sync"

// budget limits hedges to a share of all requests, so that a server that is slow as a whole gets no more load. It
// allows a small burst, since slow answers come in bursts.
type budget struct {
	share float64

	mu     sync.Mutex
	tokens float64
}

const burst = 8

// earn adds the share of one request.
func (b *budget) earn() {
	b.mu.Lock()
	b.tokens = min(b.tokens+b.share, burst)
	b.mu.Unlock()
}

// spend takes one hedge from the budget. It returns false if there is none.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
