package syntax

import "reflect"

// Walk calls visit for a node and everything in it, in the order of the source.
// Definitions of structs and enums are not entered.
func Walk(n Node, visit func(Node)) {
	if n == nil {
		return
	}
	v := reflect.ValueOf(n)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return
	}
	walk(v, visit)
}

func walk(v reflect.Value, visit func(Node)) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), visit)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		switch n := v.Interface().(type) {
		case *Struct, *Enum:
			return
		case Node:
			visit(n)
		}
		if v.Type().Elem().Kind() == reflect.Struct && v.Type().Elem().PkgPath() == reflect.TypeFor[At]().PkgPath() {
			walk(v.Elem(), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	case reflect.Struct:
		if v.Type().PkgPath() != reflect.TypeFor[At]().PkgPath() {
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Type != reflect.TypeFor[At]() {
				walk(v.Field(i), visit)
			}
		}
	}
}
