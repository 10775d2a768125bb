package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// reply holds the answer to a request. It is complete before its first byte is written, so that an error can set the status.
type reply struct {
	contentType string
	body        []byte
	checksum    string // checksum of the model that predicted, if any
	rows        int    // number of predicted rows
}

// answerer answers a request. It uses the writer only to limit the body.
type answerer func(w http.ResponseWriter, r *http.Request) (*reply, error)

const (
	jsonType = "application/json"
	csvType  = "text/csv; charset=utf-8"
	textType = "text/plain; charset=utf-8"

	checksumHeader = "Model-Checksum"
)

func (s *Server) route() {
	s.mux = http.NewServeMux()
	add := func(path, method string, a answerer) { s.mux.Handle(path, s.endpoint(path, method, a)) }
	add("/predict", http.MethodPost, s.predict)
	add("/models/{name}/predict", http.MethodPost, s.predict)
	add("/schema", http.MethodGet, s.schema)
	add("/models/{name}/schema", http.MethodGet, s.schema)
	add("/healthz", http.MethodGet, s.health)
	add("/metrics", http.MethodGet, s.writeMetrics)
	add("/{$}", http.MethodGet, s.help)
	add("/", "", func(_ http.ResponseWriter, r *http.Request) (*reply, error) {
		return nil, failf(http.StatusNotFound, "no endpoint %s: GET / lists the endpoints", r.URL.Path)
	})
}

// endpoint returns a handler that writes the answer or the error of a, counts the request and logs it. The argument path is the
// route, since the number of its values is limited.
func (s *Server) endpoint(path, method string, a answerer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		out, err := s.answer(w, r, method, a)
		status, rows := http.StatusOK, 0
		if err != nil {
			f := failureOf(err)
			status, out = f.status, f.reply()
			switch status {
			case http.StatusMethodNotAllowed:
				w.Header().Set("Allow", method)
			case http.StatusServiceUnavailable:
				w.Header().Set("Retry-After", "1")
			}
		} else {
			rows = out.rows
		}
		h := w.Header()
		h.Set("Content-Type", out.contentType)
		h.Set("Content-Length", fmt.Sprint(len(out.body)))
		h.Set("X-Content-Type-Options", "nosniff")
		if out.checksum != "" {
			h.Set(checksumHeader, out.checksum)
		}
		if status != statusClientGone {
			w.WriteHeader(status)
			if r.Method != http.MethodHead {
				_, _ = w.Write(out.body) // errors of clients that have disconnected do not matter
			}
		}
		took := time.Since(begun)
		s.metrics.observe(path, status, took)
		line := []any{"method", r.Method, "path", r.URL.Path, "status", status, "rows", rows, "seconds", took.Seconds(),
			"client", r.RemoteAddr}
		if err != nil {
			line = append(line, "error", shorten(err.Error()))
		}
		s.settings.Log.Info("request", line...)
	})
}

// answer calls a, and turns a panic into an error.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, method string, a answerer) (out *reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.settings.Log.Error("panic", "value", v, "stack", string(debug.Stack()))
			out, err = nil, &failure{status: http.StatusInternalServerError, err: fmt.Errorf("panic: %v", v)}
		}
	}()
	if method != "" && r.Method != method && (method != http.MethodGet || r.Method != http.MethodHead) {
		return nil, failf(http.StatusMethodNotAllowed, "%s accepts %s, not %s", r.URL.Path, method, r.Method)
	}
	return a(w, r)
}

// named returns the model file that the request names. If the path contains no name, it returns the only file.
func (s *Server) named(r *http.Request) (*file, error) {
	name := r.PathValue("name")
	if name == "" && len(s.files) == 1 {
		return s.files[0], nil
	}
	if f := s.find(name); f != nil {
		return f, nil
	}
	var names []string
	for _, f := range s.files {
		names = append(names, "/models/"+f.name)
	}
	what := fmt.Sprintf("no model %q", name)
	if name == "" {
		what = "several models are served"
	}
	return nil, failf(http.StatusNotFound, "%s: want one of %s", what, strings.Join(names, ", "))
}

func (s *Server) schema(_ http.ResponseWriter, r *http.Request) (*reply, error) {
	f, err := s.named(r)
	if err != nil {
		return nil, err
	}
	v := f.current.Load()
	out, err := jsonReply(v.model.Schema())
	if err == nil {
		out.checksum = v.checksum
	}
	return out, err
}

func (s *Server) health(http.ResponseWriter, *http.Request) (*reply, error) {
	out := struct {
		Status string  `json:"status"`
		Models []state `json:"models"`
	}{Status: "ok"}
	for _, f := range s.files {
		out.Models = append(out.Models, f.state())
	}
	if slices.ContainsFunc(out.Models, func(m state) bool { return m.Error != "" }) {
		out.Status = "old model" // not a failure, since the previous model is still served
	}
	return jsonReply(out)
}

func (s *Server) help(_ http.ResponseWriter, r *http.Request) (*reply, error) {
	var b strings.Builder
	b.WriteString("kernelearn serve: predictions over HTTP\n")
	for _, f := range s.files {
		prefix := ""
		if len(s.files) > 1 {
			prefix = "/models/" + f.name
		}
		fmt.Fprintf(&b, "\n%s: %v\n  POST %s/predict  rows in JSON or CSV; ?level=0.9 is the probability of the intervals, 0: none\n"+
			"  GET  %s/schema   the columns of a row\n", f.name, f.current.Load().model, prefix, prefix)
	}
	fmt.Fprintf(&b, `
GET /healthz  the served files and their checksums
GET /metrics  numbers for Prometheus

JSON is an object with a value for each column, an array of objects, or {"rows": [...]}; null is a gap. CSV begins with the names of
the columns. The answer is of the same type unless Accept asks for application/json or text/csv. At most %d bytes and %d rows.

curl -H 'Content-Type: text/csv' --data-binary @new.csv http://%s/predict
`, s.settings.MaxBytes, s.settings.MaxRows, r.Host)
	return &reply{contentType: textType, body: []byte(b.String())}, nil
}

func jsonReply(v any) (*reply, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if err := to.Encode(v); err != nil {
		return nil, &failure{status: http.StatusInternalServerError, err: err}
	}
	return &reply{contentType: jsonType, body: b.Bytes()}, nil
}
