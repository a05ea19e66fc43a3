// Package sentinel has the errors that package pipe shares with the root, so that errors.Is finds either one. Package
// pipe imports only the standard library and its own parts, so it cannot have them from the root. The standard library
// does the same for os and io/fs (internal/oserror).
package sentinel

import "errors"

// Options is spool.ErrOptions.
var Options = errors.New("invalid options")
