package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
)

const (
	defaultLevel = 0.95 // of intervals
	rowsAtATime  = 256  // number of rows that are predicted between two checks of the context
)

// predict answers a request with predictions for the rows of its body.
func (s *Server) predict(w http.ResponseWriter, r *http.Request) (*reply, error) {
	f, err := s.named(r)
	if err != nil {
		return nil, err
	}
	level, err := levelOf(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	if r.ContentLength > s.settings.MaxBytes { // before the body is received
		w.Header().Set("Connection", "close")
		return nil, s.tooLarge()
	}
	select {
	case s.admitted <- struct{}{}:
		defer func() { <-s.admitted }()
	default:
		return nil, failf(http.StatusServiceUnavailable, "%d requests are open: try again", s.settings.MaxRequests)
	}
	body, taken, err := s.read(http.MaxBytesReader(w, r.Body, s.settings.MaxBytes))
	defer s.memory.Add(taken)
	if errors.As(err, new(*http.MaxBytesError)) {
		return nil, s.tooLarge()
	} else if err != nil {
		return nil, err
	}
	input, err := inputType(r.Header, body)
	if err != nil {
		return nil, err
	}
	return s.answerRows(r.Context(), f, input, body, outputType(r.Header, input), level)
}

// answerRows waits for a free processor, and then parses and predicts the rows of a body.
func (s *Server) answerRows(ctx context.Context, f *file, input string, body []byte, output string, level float64) (*reply, error) {
	ctx, cancel := context.WithTimeout(ctx, s.settings.Timeout)
	defer cancel()
	select {
	case s.computing <- struct{}{}:
		defer func() { <-s.computing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	v := f.current.Load() // the request uses this model throughout
	t, err := s.rows(input, body, v.model.Schema())
	if err != nil {
		return nil, err
	}
	p, level, err := predictRows(ctx, v.model, t, level)
	if err != nil {
		return nil, err
	}
	f.rows.Add(uint64(t.Rows()))
	out, err := writePredictions(output, f.name, v.checksum, t, p, level)
	if err == nil {
		out.checksum, out.rows = v.checksum, t.Rows()
	}
	return out, err
}

// read reads a body. As the body grows, read reserves memory from the limit for all bodies. The caller must release the reserved
// number of bytes, taken.
func (s *Server) read(in io.Reader) (body []byte, taken int64, err error) {
	body = make([]byte, 0, 512)
	for {
		n, err := in.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, taken, nil
		} else if err != nil {
			return nil, taken, err
		}
		if more := int64(cap(body)); len(body) == cap(body) {
			taken += more
			if s.memory.Add(-more) < 0 {
				return nil, taken, failf(http.StatusServiceUnavailable, "the memory for request bodies is in use: try again")
			}
			body = slices.Grow(body, cap(body))
		}
	}
}

func (s *Server) tooLarge() error {
	return failf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", s.settings.MaxBytes)
}

// levelOf returns the probability of the intervals that a query requests, or -1 if it requests no intervals.
func levelOf(query string) (float64, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, failf(http.StatusBadRequest, "the query: %w", err)
	}
	for name := range values {
		if name != "level" {
			return 0, failf(http.StatusBadRequest, "no parameter %q: want level", name)
		}
	}
	if !values.Has("level") {
		return -1, nil
	}
	level, err := strconv.ParseFloat(values.Get("level"), 64)
	if err != nil || !(level >= 0 && level < 1) {
		return 0, failf(http.StatusBadRequest, "level=%s: want a probability below 1, or 0 for no intervals", values.Get("level"))
	}
	return level, nil
}

// predictRows predicts the rows in blocks, so that it ends soon after the context. It also returns the level of the intervals, or 0
// if there are none.
func predictRows(ctx context.Context, m *table.Model, t *table.Table, level float64) (*table.Predictions, float64, error) {
	has := estimators.Supports(m.Fitted(), estimators.Interval)
	switch {
	case level > 0 && !has:
		return nil, 0, failf(http.StatusBadRequest, "level=%v: the model has no intervals", level)
	case level < 0 && has:
		level = defaultLevel
	case level < 0:
		level = 0
	}
	n := t.Rows()
	out := &table.Predictions{}
	for from := 0; from < n; from += rowsAtATime {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		part := t
		if n > rowsAtATime {
			var rows []int
			for i := from; i < min(from+rowsAtATime, n); i++ {
				rows = append(rows, i)
			}
			var err error
			if part, err = t.Subset(rows); err != nil {
				return nil, 0, err
			}
		}
		p, err := predictPart(m, part, level)
		if err != nil {
			return nil, 0, err
		}
		addPredictions(out, p, from, n)
	}
	return out, level, nil
}

func predictPart(m *table.Model, t *table.Table, level float64) (*table.Predictions, error) {
	if level > 0 {
		return m.PredictInterval(t, level)
	}
	return m.Predict(t)
}

// addPredictions copies the predictions of part to those of n rows, beginning with row from.
func addPredictions(out, part *table.Predictions, from, n int) {
	out.Numbers, out.Classes = append(out.Numbers, part.Numbers...), append(out.Classes, part.Classes...)
	out.Low, out.High, out.ClassNames = append(out.Low, part.Low...), append(out.High, part.High...), part.ClassNames
	if part.Proba == nil {
		return
	}
	rows, k := part.Proba.Dims()
	if out.Proba == nil {
		out.Proba = mat.NewDense(n, k, nil)
	}
	out.Proba.Slice(from, from+rows, 0, k).(*mat.Dense).Copy(part.Proba)
}

// prediction is the prediction for a row in a JSON answer.
type prediction struct {
	Prediction    any                `json:"prediction"` // a number or a class
	Low           *float64           `json:"low,omitempty"`
	High          *float64           `json:"high,omitempty"`
	Probabilities map[string]float64 `json:"probabilities,omitempty"`
}

// writePredictions returns the answer with the predictions. In CSV, they follow the columns of their rows.
func writePredictions(contentType, name, checksum string, t *table.Table, p *table.Predictions, level float64) (*reply, error) {
	if contentType == csvType {
		var b bytes.Buffer
		if err := t.WriteCSV(&b, p); err != nil {
			return nil, err
		}
		return &reply{contentType: csvType, body: b.Bytes()}, nil
	}
	out := struct {
		Model       string         `json:"model"`
		Checksum    string         `json:"checksum"`
		Level       float64        `json:"level,omitempty"`
		Unseen      map[string]int `json:"unseen_levels,omitempty"` // number of rows with a new level, by column
		Predictions []prediction   `json:"predictions"`
	}{name, checksum, level, t.Unseen, make([]prediction, t.Rows())}
	for i := range out.Predictions {
		one := &out.Predictions[i]
		if p.Low != nil {
			one.Low, one.High = &p.Low[i], &p.High[i]
		}
		if p.Classes == nil {
			one.Prediction = p.Numbers[i]
			continue
		}
		if one.Prediction = p.Classes[i]; p.Proba != nil {
			one.Probabilities = make(map[string]float64, len(p.ClassNames))
			for k, class := range p.ClassNames {
				one.Probabilities[class] = p.Proba.At(i, k)
			}
		}
	}
	r, err := jsonReply(out)
	if err != nil {
		return nil, fmt.Errorf("predictions: %w", err)
	}
	return r, nil
}
