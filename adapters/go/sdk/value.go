package toolassay

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// valueDepthMax is the deepest nesting that is written; rings end here too.
const valueDepthMax = 10_000

// valueSizeMax is the number of bytes of the longest text of a value.
const valueSizeMax = 32 << 20

var errValue = errors.New("JSON cannot write it")

// valueText writes a parsed value as JSON text. Written inside a callback, it
// must not fail: that would look like a failure of the implementation.
func valueText(value any) (written string) {
	writer := valueWriter{}
	defer func() {
		if recover() != nil {
			written = unwritable(value)
		}
	}()
	if err := writer.write(reflect.ValueOf(value), 0); err != nil {
		return unwritable(value)
	}
	return writer.out.String()
}

func unwritable(value any) string {
	return strconv.Quote(Printable(fmt.Sprintf("(%T, which JSON cannot write)", value)))
}

type valueWriter struct{ out strings.Builder }

func (w *valueWriter) write(value reflect.Value, depth int) error {
	if depth > valueDepthMax || w.out.Len() > valueSizeMax {
		return errValue
	}
	if !value.IsValid() {
		w.out.WriteString("null")
		return nil
	}
	if done, err := w.writeKnown(value); done {
		return err
	}
	switch value.Kind() {
	case reflect.Bool:
		w.out.WriteString(strconv.FormatBool(value.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.out.WriteString(strconv.FormatInt(value.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		w.out.WriteString(strconv.FormatUint(value.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		w.writeFloat(value.Float(), value.Type().Bits())
	case reflect.String:
		w.writeString(value.String())
	case reflect.Interface, reflect.Pointer:
		return w.write(value.Elem(), depth+1) // Elem of nil is invalid, which is null
	case reflect.Slice:
		if value.IsNil() {
			w.out.WriteString("null")
			return nil
		}
		return w.writeItems(value, depth)
	case reflect.Array:
		return w.writeItems(value, depth)
	case reflect.Map:
		return w.writeMap(value, depth)
	default:
		return w.writeForeign(value)
	}
	return nil
}

// writeKnown writes types that hold JSON or exact numbers in a form of their own.
func (w *valueWriter) writeKnown(value reflect.Value) (bool, error) {
	if !value.CanInterface() {
		return false, nil
	}
	switch known := value.Interface().(type) {
	case json.Number:
		w.out.WriteString(string(known))
	case json.RawMessage:
		w.out.Write(known)
	case *big.Int:
		if known == nil {
			return false, nil
		}
		w.out.WriteString(known.String())
	case []byte:
		return true, w.writeForeign(value) // what encoding/json makes of bytes
	case json.Marshaler:
		if value.Kind() == reflect.Pointer && value.IsNil() {
			return false, nil
		}
		return true, w.writeForeign(value)
	default:
		return false, nil
	}
	return true, nil
}

// writeForeign writes a value as encoding/json does: structs, for example.
func (w *valueWriter) writeForeign(value reflect.Value) error {
	if !value.CanInterface() {
		return errValue
	}
	data, err := plainJSON(value.Interface())
	w.out.Write(data)
	return err
}

func (w *valueWriter) writeItems(value reflect.Value, depth int) error {
	w.out.WriteByte('[')
	for index := range value.Len() {
		if index > 0 {
			w.out.WriteByte(',')
		}
		if err := w.write(value.Index(index), depth+1); err != nil {
			return err
		}
	}
	w.out.WriteByte(']')
	return nil
}

func (w *valueWriter) writeMap(value reflect.Value, depth int) error {
	if value.IsNil() {
		w.out.WriteString("null")
		return nil
	}
	if value.Type().Key().Kind() != reflect.String {
		return w.writeForeign(value)
	}
	keys := value.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
	w.out.WriteByte('{')
	for index, key := range keys {
		if index > 0 {
			w.out.WriteByte(',')
		}
		w.writeString(key.String())
		w.out.WriteByte(':')
		if err := w.write(value.MapIndex(key), depth+1); err != nil {
			return err
		}
	}
	w.out.WriteByte('}')
	return nil
}

// writeFloat writes the shortest text that reads back as the same number.
func (w *valueWriter) writeFloat(number float64, bits int) {
	switch {
	case math.IsNaN(number):
		w.out.WriteString("NaN")
	case math.IsInf(number, 1):
		w.out.WriteString("Infinity")
	case math.IsInf(number, -1):
		w.out.WriteString("-Infinity")
	default:
		format := byte('f')
		if size := math.Abs(number); size != 0 && (size < 1e-6 || size >= 1e21) {
			format = 'e'
		}
		w.out.WriteString(strconv.FormatFloat(number, format, -1, bits))
	}
}

// writeString writes a JSON string. Bytes that are no UTF-8 are kept, so that
// the whole text travels as base64 in place of being changed.
func (w *valueWriter) writeString(value string) {
	w.out.WriteByte('"')
	for value != "" {
		char, size := utf8.DecodeRuneInString(value)
		switch {
		case char == '"' || char == '\\':
			w.out.WriteByte('\\')
			w.out.WriteByte(byte(char))
		case char < 0x20:
			fmt.Fprintf(&w.out, `\u%04x`, char)
		default:
			w.out.WriteString(value[:size])
		}
		value = value[size:]
	}
	w.out.WriteByte('"')
}
