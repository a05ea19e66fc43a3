// Package contents reads objects, with readers of callers that may not return, and names objects in errors.
package contents
