package toolassay

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// text is a text as it was sent: in JSON a string, or an object with `base64`
// where it is no valid UTF-8.
type text string

// MarshalJSON writes a string, or base64 where it would be changed.
func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return plainJSON(string(t))
	}
	return json.Marshal(encoded{base64.StdEncoding.EncodeToString([]byte(t))})
}

// UnmarshalJSON reads either form.
func (t *text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		found, err := unquote(data)
		*t = text(found)
		return err
	}
	var given struct {
		Base64 *string `json:"base64"`
	}
	if err := json.Unmarshal(data, &given); err != nil || given.Base64 == nil {
		return errors.New("a text is a string or an object with base64")
	}
	found, err := base64.StdEncoding.Strict().DecodeString(*given.Base64)
	if err != nil {
		return errors.New("the base64 of a text is not well formed")
	}
	*t = text(found)
	return nil
}

type encoded struct {
	Base64 string `json:"base64"`
}

// TextOf makes JSON-safe what may be no valid UTF-8, for the texts inside an
// event: it is written as a string, or as an object with `base64`.
func TextOf[T ~string | ~[]byte](value T) json.Marshaler { return text(value) }

// plainJSON writes a value without escapes for HTML.
func plainJSON(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

// unquote reads a JSON string. Escapes of lone surrogates, which encoding/json
// would replace, become the three bytes that UTF-8 has no place for.
func unquote(quoted []byte) (string, error) {
	var whole string
	if err := json.Unmarshal(quoted, &whole); err != nil {
		return "", err
	}
	if !bytes.Contains(quoted, []byte(`\ud`)) && !bytes.Contains(quoted, []byte(`\uD`)) {
		return whole, nil
	}
	var result []byte
	for rest := quoted[1 : len(quoted)-1]; len(rest) > 0; {
		part := escapeLength(rest)
		if unit, lone := loneSurrogate(rest[:part]); lone {
			result = append(result, 0xe0|byte(unit>>12), 0x80|byte(unit>>6)&0xbf, 0x80|byte(unit)&0xbf)
		} else {
			var piece string
			if err := json.Unmarshal(append(append([]byte{'"'}, rest[:part]...), '"'), &piece); err != nil {
				return "", err
			}
			result = append(result, piece...)
		}
		rest = rest[part:]
	}
	return string(result), nil
}

// escapeLength gives the length of what belongs together at the start of a
// valid string body: a run without escapes, one escape, or a surrogate pair.
func escapeLength(body []byte) int {
	if body[0] != '\\' {
		if next := bytes.IndexByte(body, '\\'); next > 0 {
			return next
		}
		return len(body)
	}
	if body[1] != 'u' {
		return 2
	}
	first, second := unitOf(body), unitOf(body[6:])
	if first >= 0xd800 && first < 0xdc00 && second >= 0xdc00 && second < 0xe000 {
		return 12
	}
	return 6
}

func loneSurrogate(part []byte) (uint64, bool) {
	unit := unitOf(part)
	return unit, len(part) == 6 && unit >= 0xd800 && unit < 0xe000
}

// unitOf gives the code unit of an escape at the start; 0 if there is none.
func unitOf(body []byte) uint64 {
	if len(body) < 6 || body[0] != '\\' || body[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(body[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return unit
}
