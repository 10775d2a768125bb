package check

import (
	"strconv"
	"unicode/utf8"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Text returns an ErrParam error unless all texts of a field are UTF-8. CBOR, JSON, Parquet and protocol buffers store only UTF-8.
func Text(typ, field string, texts ...string) error {
	for _, s := range texts {
		if !utf8.ValidString(s) {
			const most = 60 // bytes
			return fault.Param(typ, field, strconv.Quote(s[:min(len(s), most)]), "UTF-8")
		}
	}
	return nil
}
