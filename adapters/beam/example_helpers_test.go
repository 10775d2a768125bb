package kernelbeam_test

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

func run(ctx context.Context, p *beam.Pipeline) error { return beamx.Run(ctx, p) }
