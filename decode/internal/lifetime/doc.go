// Package lifetime ends a resource after its last user.
package lifetime
