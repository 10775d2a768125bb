package server

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// bounds are the upper bounds of the histogram's bins, in seconds.
var bounds = [...]float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// metrics counts requests. The zero value is ready to use.
type metrics struct {
	mu       sync.Mutex
	requests map[answered]uint64
	bins     [len(bounds) + 1]uint64 // durations of all requests; the last bin is unbounded
	seconds  float64                 // the sum of all
}

// answered identifies the requests with the same path and status.
type answered struct {
	path   string
	status int
}

func (m *metrics) observe(path string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.requests == nil {
		m.requests = map[answered]uint64{}
	}
	m.requests[answered{path, status}]++
	bin, _ := slices.BinarySearch(bounds[:], took.Seconds())
	m.bins[bin]++
	m.seconds += took.Seconds()
}

// write writes the metrics in the format of Prometheus, version 0.0.4.
func (m *metrics) write(b *strings.Builder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	family(b, "kernelearn_requests_total", "counter", "Requests answered, by route and status.")
	keys := slices.SortedFunc(maps.Keys(m.requests), func(x, y answered) int {
		return cmp.Or(cmp.Compare(x.path, y.path), cmp.Compare(x.status, y.status))
	})
	for _, k := range keys {
		fmt.Fprintf(b, "kernelearn_requests_total{path=%s,code=\"%d\"} %d\n", label(k.path), k.status, m.requests[k])
	}
	family(b, "kernelearn_request_seconds", "histogram", "Time from the headers of a request to the end of its answer.")
	sum := uint64(0)
	for i, n := range m.bins {
		end := "+Inf"
		if i < len(bounds) {
			end = fmt.Sprint(bounds[i])
		}
		sum += n
		fmt.Fprintf(b, "kernelearn_request_seconds_bucket{le=\"%s\"} %d\n", end, sum)
	}
	fmt.Fprintf(b, "kernelearn_request_seconds_sum %v\nkernelearn_request_seconds_count %d\n", m.seconds, sum)
}

func family(b *strings.Builder, name, kind, help string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// label returns a value with the quotes and escapes of Prometheus.
func label(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value) + `"`
}

func (s *Server) writeMetrics(http.ResponseWriter, *http.Request) (*reply, error) {
	var b strings.Builder
	s.metrics.write(&b)
	family(&b, "kernelearn_open_requests", "gauge", "Requests for predictions that are not answered yet.")
	fmt.Fprintf(&b, "kernelearn_open_requests %d\n", len(s.admitted))
	family(&b, "kernelearn_rows_predicted_total", "counter", "Rows predicted, by model.")
	for _, f := range s.files {
		fmt.Fprintf(&b, "kernelearn_rows_predicted_total{model=%s} %d\n", label(f.name), f.rows.Load())
	}
	family(&b, "kernelearn_model_loads_total", "counter", "Loads of a model's file, by result.")
	var states []state
	for _, f := range s.files {
		one := f.state()
		states = append(states, one)
		fmt.Fprintf(&b, "kernelearn_model_loads_total{model=%s,result=\"ok\"} %d\n", label(f.name), one.loads)
		fmt.Fprintf(&b, "kernelearn_model_loads_total{model=%s,result=\"failed\"} %d\n", label(f.name), one.misses)
	}
	family(&b, "kernelearn_model_loaded_timestamp_seconds", "gauge", "When the served model was loaded.")
	for _, one := range states {
		fmt.Fprintf(&b, "kernelearn_model_loaded_timestamp_seconds{model=%s,checksum=%s} %d\n",
			label(one.Name), label(one.Checksum), one.Loaded.Unix())
	}
	return &reply{contentType: "text/plain; version=0.0.4; charset=utf-8", body: []byte(b.String())}, nil
}
