package codec

import (
	"encoding"
	"encoding/base64"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Text returns the bytes of v in base64: what it is in JSON, where it would be {}, and in other formats of text.
func Text(v encoding.BinaryMarshaler) ([]byte, error) {
	data, err := v.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.AppendEncode(nil, data), nil
}

// FromText reads what Text gave into v, of a kind.
func FromText(kind string, v encoding.BinaryUnmarshaler, text []byte) error {
	data, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return fault.BadModel(kind, "%v", err)
	}
	return v.UnmarshalBinary(data)
}
