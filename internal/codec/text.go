package codec

import (
	"encoding"
	"encoding/base64"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Text returns the binary form of v in base64, for JSON and other text formats. Without a MarshalText method that uses it,
// encoding/json would write {}.
func Text(v encoding.BinaryMarshaler) ([]byte, error) {
	data, err := v.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.AppendEncode(nil, data), nil
}

// FromText decodes the result of Text into v. Errors contain the kind.
func FromText(kind string, v encoding.BinaryUnmarshaler, text []byte) error {
	data, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return fault.BadModel(kind, "%v", err)
	}
	return v.UnmarshalBinary(data)
}
