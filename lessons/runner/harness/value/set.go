package value

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
)

// Spare is how many elements lie behind the end of each slice that is made for a
// learner's function. They are the caller's: an append that finds room there
// writes where it may not.
const Spare = 8

// Slices are the slices that were made for one argument, each with what lies
// behind its end.
type Slices struct {
	made []made
}

type made struct {
	whole reflect.Value // with the spare elements
	used  int
}

// Written says whether an element behind the end of one of the slices was
// written to, and how long the first such slice is.
func (s *Slices) Written() (length int, written bool) {
	for _, m := range s.made {
		for i := m.used; i < m.whole.Len(); i++ {
			fresh := reflect.New(m.whole.Type().Elem()).Elem()
			fence(fresh, i-m.used)
			if !bytes.Equal(Append(nil, m.whole.Index(i)), Append(nil, fresh)) {
				return m.used, true
			}
		}
	}
	return 0, false
}

// Set makes to, which can be set, hold from. It says what does not fit.
func Set(to reflect.Value, from Value, s *Slices) error {
	switch kind := to.Kind(); kind {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := from.Int
		if from.Kind == Uint && from.Uint <= math.MaxInt64 {
			n = int64(from.Uint)
		} else if from.Kind == Float && from.Float == math.Trunc(from.Float) && math.Abs(from.Float) < 1<<53 {
			n = int64(from.Float)
		} else if from.Kind != Int {
			return misfit(to, from)
		}
		if to.OverflowInt(n) {
			return misfit(to, from)
		}
		to.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := from.Uint
		if from.Kind == Int && from.Int >= 0 {
			n = uint64(from.Int)
		} else if from.Kind != Uint {
			return misfit(to, from)
		}
		if to.OverflowUint(n) {
			return misfit(to, from)
		}
		to.SetUint(n)
	case reflect.Float32, reflect.Float64:
		switch from.Kind {
		case Float:
			to.SetFloat(from.Float)
		case Int:
			to.SetFloat(float64(from.Int))
		default:
			return misfit(to, from)
		}
	case reflect.Bool:
		if from.Kind != Bool {
			return misfit(to, from)
		}
		to.SetBool(from.Bool)
	case reflect.String:
		if from.Kind != String {
			return misfit(to, from)
		}
		to.SetString(from.Text)
	case reflect.Slice:
		if from.Kind == Nil {
			to.SetZero()
			return nil
		}
		if from.Kind != List {
			return misfit(to, from)
		}
		n := len(from.Items)
		whole := reflect.MakeSlice(to.Type(), n+Spare, n+Spare)
		for i, item := range from.Items {
			if err := Set(whole.Index(i), item, s); err != nil {
				return err
			}
		}
		for i := range Spare {
			fence(whole.Index(n+i), i)
		}
		s.made = append(s.made, made{whole, n})
		to.Set(whole.Slice(0, n)) // whose capacity reaches into the spare elements
	case reflect.Array:
		if from.Kind != List || len(from.Items) != to.Len() {
			return misfit(to, from)
		}
		for i, item := range from.Items {
			if err := Set(to.Index(i), item, s); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if from.Kind != Struct {
			return misfit(to, from)
		}
		for i, name := range from.Names {
			field := to.FieldByName(name)
			if !field.IsValid() || !field.CanSet() {
				return fmt.Errorf("%s has no field %s", to.Type(), name)
			}
			if err := Set(field, from.Items[i], s); err != nil {
				return fmt.Errorf("%s.%s: %w", to.Type(), name, err)
			}
		}
	case reflect.Pointer:
		if from.Kind == Nil {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return Set(to.Elem(), from, s)
	default:
		return misfit(to, from)
	}
	return nil
}

func misfit(to reflect.Value, from Value) error {
	return fmt.Errorf("%s is no %s", from, to.Type())
}

// fence fills an element behind the end with what no sum or copy makes by chance.
func fence(v reflect.Value, i int) {
	switch v.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		v.SetInt(-(0x5c + int64(i)))
		if v.Type().Size() >= 4 {
			v.SetInt(-(0x5ca1ab1e + int64(i)))
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		v.SetUint(0xa5 + uint64(i))
		if v.Type().Size() >= 4 {
			v.SetUint(0xa5ca1ab1 + uint64(i))
		}
	case reflect.Float32:
		v.SetFloat(-0x1.5ca1abp+97 * float64(i+1))
	case reflect.Float64:
		v.SetFloat(-0x1.5ca1ab1e5ca1ap+311 * float64(i+1))
	case reflect.Bool:
		v.SetBool(i%2 == 0)
	case reflect.String:
		v.SetString(fmt.Sprint("behind the end ", i))
	case reflect.Array:
		for k := range v.Len() {
			fence(v.Index(k), i+k)
		}
	case reflect.Struct:
		for k := range v.NumField() {
			if v.Field(k).CanSet() {
				fence(v.Field(k), i+k)
			}
		}
	}
}
