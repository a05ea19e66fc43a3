package pipe

import "reflect"

// releaser is what an item implements that holds something to give back.
type releaser interface{ Release() }

// release gives back what an item holds, or, if it is a slice, what its items hold.
func release[T any](item T) {
	if r, ok := any(item).(releaser); ok {
		r.Release()
		return
	}
	if holds(reflect.TypeFor[T]()) {
		releaseEach(reflect.ValueOf(item))
	}
}

// holds says whether a type is a slice, of slices, of something that may hold something.
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
