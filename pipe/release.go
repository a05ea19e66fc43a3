package pipe

import "reflect"

// releaser is an item that owns something.
type releaser interface{ Release() }

// release releases an item, or, if it is a slice, its items.
func release[T any](item T) {
	if r, ok := any(item).(releaser); ok {
		r.Release()
		return
	}
	if holds(reflect.TypeFor[T]()) {
		releaseEach(reflect.ValueOf(item))
	}
}

// holds reports whether a type is a slice of values that may need a Release, or a slice of such slices.
func holds(t reflect.Type) bool {
	if t.Kind() != reflect.Slice {
		return false
	}
	t = t.Elem()
	return t.Kind() == reflect.Interface || t.Implements(reflect.TypeFor[releaser]()) || holds(t)
}

func releaseEach(items reflect.Value) {
	for i := range items.Len() {
		item := items.Index(i)
		if r, ok := reflect.TypeAssert[releaser](item); ok {
			r.Release()
		} else if item.Kind() == reflect.Slice {
			releaseEach(item)
		}
	}
}
