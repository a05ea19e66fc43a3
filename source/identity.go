package source

// Identified is an Object that tells its bytes from all others: those of stores and of files do.
type Identified interface {
	// Identity is equal for equal bytes only: where the object lies, and of which version it is. It is empty where nobody knows,
	// and not for people: it may hold secrets of an address.
	Identity() string
}

// Identity is an object's, empty where it has none.
func Identity(o Object) string {
	if i, ok := o.(Identified); ok {
		return i.Identity()
	}
	return ""
}
