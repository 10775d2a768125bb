// Package server answers requests for predictions over HTTP with the models in files. It implements the command kernelearn serve.
//
//	POST /predict              rows in JSON or CSV, answered by predictions with intervals or probabilities
//	GET  /schema               the columns of a row
//	POST /models/NAME/predict  predictions of one of several models
//	GET  /models/NAME/schema   the columns of a row of one of several models
//	GET  /healthz              the served files with their checksums
//	GET  /metrics              numbers for Prometheus
//	GET  /                     a short help text
//
// A request is read into memory before any computation, so that a slow client does not occupy a processor. The bodies of all
// concurrent requests may together use as much memory as 16 bodies of the largest size. The number of requests that are parsed or
// predicted at the same time is the number of processors.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// Settings holds the limits of a Server. If a limit is 0, its default is used.
type Settings struct {
	MaxBytes    int64         // largest size of a body; 0: 16 MiB
	MaxRows     int           // largest number of rows of a request; 0: 10 000
	MaxRequests int           // largest number of concurrent requests for predictions; 0: 256
	Timeout     time.Duration // for reading a request, and again for computing the answer; 0: 30 s
	Poll        time.Duration // time between two checks of the files; 0: 2 s
	Log         *slog.Logger  // receives a line for each request and each change of a file; nil: none
}

// Defaults of Settings.
const (
	DefaultMaxBytes    = 16 << 20
	DefaultMaxRows     = 10_000
	DefaultMaxRequests = 256
	DefaultTimeout     = 30 * time.Second
	DefaultPoll        = 2 * time.Second
)

const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	largestBodies  = 16 // bodies of MaxBytes bytes that may be in memory together
)

// Server is an HTTP handler that answers requests with the predictions of some model files. Its methods may be called concurrently.
type Server struct {
	settings  Settings
	files     []*file
	mux       *http.ServeMux
	metrics   metrics
	admitted  chan struct{} // holds an entry for each prediction request, from its headers to its answer
	computing chan struct{} // holds an entry for each request that is being parsed or predicted
	memory    atomic.Int64  // number of bytes that bodies may still use
}

// New loads the files, which kernelearn train or [table.Model.Save] wrote. The name of a model is its file name without folder and
// extension. New returns the error of the first file that cannot be loaded, or an error if two models have the same name.
func New(paths []string, s Settings) (*Server, error) {
	s.MaxBytes, s.MaxRows = cmp.Or(s.MaxBytes, DefaultMaxBytes), cmp.Or(s.MaxRows, DefaultMaxRows)
	s.MaxRequests, s.Timeout = cmp.Or(s.MaxRequests, DefaultMaxRequests), cmp.Or(s.Timeout, DefaultTimeout)
	s.Poll = cmp.Or(s.Poll, DefaultPoll)
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	out := &Server{settings: s, admitted: make(chan struct{}, s.MaxRequests), computing: make(chan struct{}, runtime.GOMAXPROCS(0))}
	out.memory.Store(largestBodies * s.MaxBytes)
	for _, path := range paths {
		f := &file{path: path, name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
		if other := out.find(f.name); other != nil {
			return nil, fmt.Errorf("%s and %s have the same name: the name of a file names its model", other.path, path)
		}
		if _, err := f.load(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out.files = append(out.files, f)
	}
	if len(out.files) == 0 {
		return nil, errors.New("there are no model files")
	}
	out.route()
	return out, nil
}

// find returns the file with the name, or nil.
func (s *Server) find(name string) *file {
	for _, f := range s.files {
		if f.name == name {
			return f
		}
	}
	return nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Serve answers the connections of a listener, with timeouts for slow clients, and loads files that change, until ctx ends. Open
// requests may then take up to grace to finish. Serve returns the errors of the listener, or an error if requests took longer.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	timeout := s.settings.Timeout
	web := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: min(timeout, headerTimeout),
		ReadTimeout:       timeout,
		WriteTimeout:      3 * timeout, // counted from the headers: to read, to compute and to write
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.settings.Log.Handler(), slog.LevelWarn),
	}
	watching, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		s.watch(watching)
	}()
	defer func() {
		stop()
		<-watched
	}()
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.settings.Log.Info("stopping", "grace", grace)
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := web.Shutdown(late)
	if err != nil {
		_ = web.Close() // ends the remaining requests
		err = fmt.Errorf("requests that took longer than %v were cancelled", grace)
	}
	<-ended
	return err
}

// watch loads changed files until ctx ends.
func (s *Server) watch(ctx context.Context) {
	ticker := time.NewTicker(s.settings.Poll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.Reload()
		}
	}
}

// Reload loads the files that have changed since they were loaded. If a file cannot be loaded, the error is logged, and the
// previous model is kept.
func (s *Server) Reload() {
	for _, f := range s.files {
		switch changed, err := f.load(); {
		case err != nil && changed:
			s.settings.Log.Error("model not loaded, the earlier model stays", "model", f.name, "file", f.path, "error", err)
		case changed:
			s.settings.Log.Info("model loaded", "model", f.name, "file", f.path, "checksum", f.current.Load().checksum)
		}
	}
}
