package order

// partition divides n elements into m consecutive runs. Their lengths differ by at most one, and longer runs come
// first.
type partition struct{ n, m int }

// first returns where run k begins; first(m) is n.
func (c partition) first(k int) int { return k*(c.n/c.m) + min(k, c.n%c.m) }

// size returns the length of run k.
func (c partition) size(k int) int { return c.first(k+1) - c.first(k) }

// find returns the run that contains i.
func (c partition) find(i int) int {
	size, longer := c.n/c.m, c.n%c.m
	if i < longer*(size+1) {
		return i / (size + 1)
	}
	return longer + (i-longer*(size+1))/size
}
