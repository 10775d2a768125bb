package codec

import (
	"bytes"
)

// Content describes an envelope.
type Content struct {
	Kind     string
	Version  int
	Bytes    int    // size of the envelope
	Checksum []byte // the verified checksum; nil for nested envelopes
	Within   []Content
}

// Inspect reads an envelope of any kind, and the heads of the envelopes nested in it. Every error wraps ErrBadModel.
func Inspect(data []byte) (Content, error) {
	kind, version, _, err := open(data, "model file")
	if err != nil {
		return Content{}, err
	}
	return Content{
		Kind: kind, Version: version, Bytes: len(data), Checksum: bytes.Clone(data[len(data)-checksumSize:]),
		Within: outermost(data, fixedSize+len(kind), len(data)-checksumSize),
	}, nil
}

// mostWithin limits the number of nested envelopes that Inspect reports, because each needs only sixteen bytes.
const mostWithin = 1 << 10

// outermost returns the envelopes between two offsets that are not within another envelope.
func outermost(data []byte, from, to int) (out []Content) {
	for at := from; at < to && len(out) < mostWithin; {
		next := bytes.Index(data[at:to], []byte(magic))
		if next < 0 {
			return out
		}
		at += next
		end, ok := announced(data[:to], at)
		if !ok {
			at++
			continue
		}
		k := int(data[at+5])
		out = append(out, Content{
			Kind: string(data[at+6 : at+6+k]), Version: int(data[at+6+k]) | int(data[at+7+k])<<8, Bytes: end - at,
			Within: outermost(data, at+fixedSize+k, end-checksumSize),
		})
		at = end
	}
	return out
}
