package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// DecodeInput reads an example's input from JSON and checks it. An unknown
// example, an unknown field and a value that cannot be used are a *FieldError.
// No JSON at all is an input without fields.
func DecodeInput(example string, raw json.RawMessage) (Input, error) {
	var in Input
	switch example {
	case ExampleProduct:
		in = &ProductInput{}
	case ExampleReduction:
		in = &ReductionInput{}
	case ExampleView:
		in = &ViewInput{}
	case ExampleDecoder:
		in = &DecoderInput{}
	case ExampleBoundary:
		in = &BoundaryInput{}
	default:
		return nil, &FieldError{"example", fmt.Sprintf("%q is unknown: choose one of %s", shorten(example), strings.Join(Examples, ", "))}
	}
	if len(bytes.Trim(raw, " \t\r\n")) > 0 {
		if err := decodeObject(raw, in); err != nil {
			return nil, within("input", err)
		}
	}
	if err := in.Check(); err != nil {
		return nil, err
	}
	return in, nil
}

// decodeObject reads a JSON object into a struct, field by field, so that an
// error names the field it lies in; an error of the object itself is no
// *FieldError. Names are those of the struct's tags, letter by letter: package
// json would take "LEFT" for "left".
func decodeObject(raw []byte, into any) error {
	given, err := members(raw)
	if err != nil {
		return err
	}
	target := reflect.ValueOf(into).Elem()
	names := make([]string, target.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(target.Type().Field(i).Tag.Get("json"), ",")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			return &FieldError{printable(shorten(name)), "is not a field of this example: choose one of " + strings.Join(names, ", ")}
		}
	}
	for i, name := range names {
		value, ok := given[name]
		if !ok {
			continue
		}
		if err := decodeValue(value, target.Field(i).Addr().Interface()); err != nil {
			return inField(name, err)
		}
	}
	return nil
}

// members returns the fields of a JSON object, or none of null. A name that is
// given twice is an error: package json would keep the last value in silence.
func members(raw []byte) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, plainJSONError(err)
	}
	if all == nil {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	seen := make(map[string]bool, len(all))
	if _, err := d.Token(); err != nil { // the brace
		return nil, plainJSONError(err)
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, plainJSONError(err)
		}
		name := token.(string) // of valid JSON
		if seen[name] {
			return nil, &FieldError{printable(shorten(name)), "is given twice: keep one"}
		}
		seen[name] = true
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return nil, plainJSONError(err)
		}
	}
	return all, nil
}

func decodeValue(raw json.RawMessage, into any) error {
	if err := checkText(raw); err != nil {
		return err
	}
	ops, ok := into.(*[]ViewOp)
	if !ok {
		return plainJSONError(json.Unmarshal(raw, into))
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return plainJSONError(err)
	}
	*ops = make([]ViewOp, len(items))
	for i, item := range items {
		if err := decodeObject(item, &(*ops)[i]); err != nil {
			return inField(fmt.Sprintf("[%d]", i), err)
		}
	}
	return nil
}

// inField says that an error lies in a field: it puts the name before the path
// of a *FieldError, and makes one of any other error.
func inField(name string, err error) error {
	var inner *FieldError
	switch {
	case !errors.As(err, &inner):
		return &FieldError{name, reason(err)}
	case strings.HasPrefix(inner.Field, "["):
		return &FieldError{name + inner.Field, inner.Reason}
	}
	return &FieldError{name + "." + inner.Field, inner.Reason}
}

// within is inField for an error that names no field yet; others stay.
func within(name string, err error) error {
	var inner *FieldError
	if errors.As(err, &inner) {
		return inner
	}
	return inField(name, err)
}

const notUTF8 = "is not valid UTF-8: save it as UTF-8, or leave out the bytes that are not text"

// checkText refuses text that package json would change in silence: it puts
// U+FFFD where bytes are not UTF-8, and where an escape is one half of a pair.
// The text is valid JSON otherwise.
func checkText(raw []byte) error {
	if !utf8.Valid(raw) {
		return errors.New(notUTF8)
	}
	unit := func(i int) rune { // of an escape \uXXXX that starts at i, or 0
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
			return 0
		}
		n, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
		if err != nil {
			return 0
		}
		return rune(n)
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		first := unit(i)
		switch {
		case !utf16.IsSurrogate(first):
			i++ // whatever was escaped
		case utf16.DecodeRune(first, unit(i+6)) == unicode.ReplacementChar:
			return fmt.Errorf("has half of a character, %s: write both halves, or the character itself", raw[i:i+6])
		default:
			i += 11
		}
	}
	return nil
}

// plainJSONError says what a decoding error means to someone who wrote the
// input and does not know our types. Other errors, and nil, stay.
func plainJSONError(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		text := syntax.Error()
		if strings.HasPrefix(text, "invalid character 'N'") || strings.HasPrefix(text, "invalid character 'I'") {
			text += `; JSON has no such number: write "NaN", "Infinity" or "-Infinity" in quotes`
		}
		return fmt.Errorf("is not JSON: %s (byte %d)", text, syntax.Offset)
	}
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return err
	}
	// The value is "string", "object", or a number with its digits: "number 1.5".
	given, digits, _ := strings.Cut(kind.Value, " ")
	switch given {
	case "number":
		given = "a number"
		if digits != "" {
			given = "the number " + shorten(digits)
		}
	case "string":
		given = "text"
	case "array":
		given = "a list"
	case "object":
		given = "an object"
	case "bool":
		given = "true or false"
	}
	want := "an object"
	switch kind.Type.Kind() {
	case reflect.Int:
		want = "a whole number"
	case reflect.String:
		want = "text in quotes"
	case reflect.Bool:
		want = "true or false"
	case reflect.Slice:
		want = "a list"
	}
	return fmt.Errorf("is %s where %s is wanted", given, want)
}

// shorten cuts what an input spells, so that an error does not repeat a
// megabyte of it.
func shorten(text string) string { return cutText(text, 48) }

// reason is an error's text, cut likewise: it may repeat a value.
func reason(err error) string { return cutText(printable(err.Error()), 400) }

func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
