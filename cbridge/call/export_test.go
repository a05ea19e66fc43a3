package call

// Admitted is 1 while a call is admitted, and 0 otherwise.
func Admitted() int64 {
	if !admission.TryAcquire(capacity) {
		return 1
	}
	admission.Release(capacity)
	return 0
}

// Watch observes the setter of c's flag. calledOff is true after Leave if Leave stopped the setter; isSet reports
// whether the setter has run.
func Watch(c *Call) (calledOff *bool, isSet func() bool) {
	calledOff = new(bool)
	stop := c.stop
	c.stop = func() bool {
		*calledOff = stop()
		return *calledOff
	}
	return calledOff, func() bool {
		c.spoiling.Lock()
		defer c.spoiling.Unlock()
		return c.ended
	}
}

// SetterHasBegun makes c behave as if its setter were running and could no longer be stopped.
func SetterHasBegun(c *Call) { c.stop = func() bool { return false } }
