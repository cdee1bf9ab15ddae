// Package value writes Go values down and reads them again, every bit of them:
// JSON has no NaN, no infinity and no negative zero. It is how the arguments of
// an exercise's calls reach the learner's program, and how the results come back.
//
// A value is a few words on one line:
//
//	i-3   u7   b1   f3ff8000000000000   s"text"   n (nil)   e"an error's text"
//	[ i2 i3 ]   { .Data [ ] .Offset i0 }   x"chan int" (nothing that can be written)
//
// The digits of a number with a fraction are its bits as a float64.
package value

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Kind says what a value is, by the letter it is written with.
type Kind byte

const (
	Int     Kind = 'i'
	Uint    Kind = 'u'
	Float   Kind = 'f'
	Bool    Kind = 'b'
	String  Kind = 's'
	Error   Kind = 'e'
	Nil     Kind = 'n'
	List    Kind = '['
	Struct  Kind = '{'
	Strange Kind = 'x' // a type that nobody writes down
)

// Value is what was read.
type Value struct {
	Kind  Kind
	Int   int64
	Uint  uint64
	Float float64
	Bool  bool
	Text  string // of a String, of an Error; of what is Strange its type

	Items []Value  // of a List, of a Struct
	Names []string // of a Struct: the fields
}

// MaxDepth is how deep a value may be within others.
const MaxDepth = 16

var errorType = reflect.TypeFor[error]()

// Append writes v behind b. A struct's fields are those that are exported; a map
// by strings is written like a struct.
func Append(b []byte, v reflect.Value) []byte { return appendValue(b, v, MaxDepth) }

func appendValue(b []byte, v reflect.Value, depth int) []byte {
	if !v.IsValid() {
		return append(b, 'n')
	}
	if v.Type() == errorType {
		if v.IsNil() {
			return append(b, 'n')
		}
		return strconv.AppendQuote(append(b, 'e'), text(v.Interface().(error)))
	}
	if depth == 0 {
		return strconv.AppendQuote(append(b, 'x'), v.Type().String())
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(append(b, 'i'), v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.AppendUint(append(b, 'u'), v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return appendFloat(b, v.Float())
	case reflect.Bool:
		if v.Bool() {
			return append(b, "b1"...)
		}
		return append(b, "b0"...)
	case reflect.String:
		return strconv.AppendQuote(append(b, 's'), v.String())
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return append(b, 'n')
		}
		b = append(b, '[')
		for i := range v.Len() {
			b = appendValue(append(b, ' '), v.Index(i), depth-1)
		}
		return append(b, " ]"...)
	case reflect.Struct:
		b = append(b, '{')
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				b = append(append(b, " ."...), field.Name...)
				b = appendValue(append(b, ' '), v.Field(i), depth-1)
			}
		}
		return append(b, " }"...)
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			break
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		b = append(b, '{')
		for _, key := range keys {
			b = append(append(b, " ."...), key.String()...)
			b = appendValue(append(b, ' '), v.MapIndex(key), depth-1)
		}
		return append(b, " }"...)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return append(b, 'n')
		}
		return appendValue(b, v.Elem(), depth-1)
	}
	return strconv.AppendQuote(append(b, 'x'), v.Type().String())
}

func appendFloat(b []byte, x float64) []byte {
	digits := strconv.FormatUint(math.Float64bits(x), 16)
	b = append(b, 'f')
	for range 16 - len(digits) {
		b = append(b, '0')
	}
	return append(b, digits...)
}

// text is what an error says, even if its method panics.
func text(err error) (said string) {
	defer func() {
		if recover() != nil {
			said = "an error whose Error method panics"
		}
	}()
	return err.Error()
}

var errShort = errors.New("the value ends too early")

// Parse reads the value at the beginning of line, and returns what follows it.
func Parse(line string) (v Value, rest string, err error) { return parse(line, MaxDepth+1) }

func parse(line string, depth int) (Value, string, error) {
	line = strings.TrimLeft(line, " ")
	if line == "" || depth == 0 {
		return Value{}, "", errShort
	}
	v := Value{Kind: Kind(line[0])}
	line = line[1:]
	switch v.Kind {
	case Nil:
		return v, line, nil
	case String, Error, Strange:
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return v, "", err
		}
		v.Text, err = strconv.Unquote(quoted)
		return v, line[len(quoted):], err
	case List:
		for {
			line = strings.TrimLeft(line, " ")
			if rest, ok := strings.CutPrefix(line, "]"); ok {
				return v, rest, nil
			}
			item, rest, err := parse(line, depth-1)
			if err != nil {
				return v, "", err
			}
			v.Items, line = append(v.Items, item), rest
		}
	case Struct:
		for {
			line = strings.TrimLeft(line, " ")
			if rest, ok := strings.CutPrefix(line, "}"); ok {
				return v, rest, nil
			}
			name, rest, ok := strings.Cut(line, " ")
			if !ok || name == "" || name[0] != '.' {
				return v, "", errShort
			}
			item, rest, err := parse(rest, depth-1)
			if err != nil {
				return v, "", err
			}
			v.Names, v.Items, line = append(v.Names, name[1:]), append(v.Items, item), rest
		}
	}
	word, _, _ := strings.Cut(line, " ")
	rest := line[len(word):]
	var err error
	switch v.Kind {
	case Int:
		v.Int, err = strconv.ParseInt(word, 10, 64)
	case Uint:
		v.Uint, err = strconv.ParseUint(word, 10, 64)
	case Float:
		var bits uint64
		bits, err = strconv.ParseUint(word, 16, 64)
		v.Float = math.Float64frombits(bits)
	case Bool:
		v.Bool = word == "1"
	default:
		err = fmt.Errorf("no value begins with %q", rune(v.Kind))
	}
	return v, rest, err
}

// Of returns the value of anything that can be written down.
func Of(x any) (Value, error) {
	if err, ok := x.(error); ok {
		return Value{Kind: Error, Text: text(err)}, nil
	}
	v, _, err := Parse(string(Append(nil, reflect.ValueOf(x))))
	return v, err
}
