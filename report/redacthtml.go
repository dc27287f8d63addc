package report

import "reflect"

// drawn are fields of a page that place a picture, and hold nothing that was read.
var drawn = map[string]bool{"X": true, "W": true, "Path": true, "Hash": true, "Style": true}

// page redacts every string of the model of a page; p is a pointer to it.
func (r *Redactor) page(p any) {
	if r != nil {
		r.strings(reflect.ValueOf(p))
	}
}

func (r *Redactor) strings(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			r.strings(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			r.strings(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !drawn[f.Name] {
				r.strings(v.Field(i))
			}
		}
	case reflect.String:
		v.SetString(r.Prose(v.String()))
	}
}
