package decode

// Fetched counts what was read of a remote object.
type Fetched struct {
	Bytes, Requests int64 // received, and the requests for them
	Size            int64 // of the object
}
