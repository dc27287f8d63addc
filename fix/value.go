package fix

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// value spells a cell in JSON so that it reads back the same: null, a string, a number, or {"b64": …} for text that is
// not UTF-8.
type value struct{ cell any }

// MarshalJSON implements json.Marshaler.
func (v value) MarshalJSON() ([]byte, error) {
	switch c := v.cell.(type) {
	case nil, float64:
		return json.Marshal(c)
	case string:
		if utf8.ValidString(c) {
			return json.Marshal(c)
		}
		return json.Marshal(map[string]string{"b64": base64.StdEncoding.EncodeToString([]byte(c))})
	}
	return nil, fmt.Errorf("a cell of type %T", v.cell)
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *value) UnmarshalJSON(data []byte) error {
	var read any
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	switch c := read.(type) {
	case nil, string, float64:
		v.cell = c
		return nil
	case map[string]any:
		if s, ok := c["b64"].(string); ok && len(c) == 1 {
			raw, err := base64.StdEncoding.DecodeString(s)
			v.cell = string(raw)
			return err
		}
	}
	return fmt.Errorf("no cell: %.40q", data)
}

// text is value for what must be a string.
func (v value) text() string {
	s, _ := v.cell.(string)
	return s
}
