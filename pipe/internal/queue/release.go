package queue

import "reflect"

// Releaser is an item that owns something.
type Releaser interface{ Release() }

// Release releases an item, or, if it is a slice, its items.
func Release[T any](item T) {
	if r, ok := any(item).(Releaser); ok {
		r.Release()
		return
	}
	if holds(reflect.TypeFor[T]()) {
		releaseEach(reflect.ValueOf(item))
	}
}

// Owns reports whether values of a type may need a Release.
func Owns(t reflect.Type) bool { return t.Implements(reflect.TypeFor[Releaser]()) || holds(t) }

// holds reports whether a type is a slice of values that may need a Release, or a slice of such slices.
func holds(t reflect.Type) bool {
	if t.Kind() != reflect.Slice {
		return false
	}
	t = t.Elem()
	return t.Kind() == reflect.Interface || t.Implements(reflect.TypeFor[Releaser]()) || holds(t)
}

func releaseEach(items reflect.Value) {
	for i := range items.Len() {
		item := items.Index(i)
		if r, ok := reflect.TypeAssert[Releaser](item); ok {
			r.Release()
		} else if item.Kind() == reflect.Slice {
			releaseEach(item)
		}
	}
}
