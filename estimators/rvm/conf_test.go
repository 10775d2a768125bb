package rvm_test

import (
	"testing"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest"
	"github.com/kernelearn/kernelearn/estimators/rvm"
)

func TestConf(t *testing.T) {
	estimatortest.Regressor(t, "rvm.Regressor", func() estimators.Regressor { return &rvm.Regressor{} }, &estimatortest.Options{Workers: func(w int) any { return &rvm.Regressor{Workers: w} }})
	estimatortest.Regressor(t, "rvm.Regressor (ard)", func() estimators.Regressor { return &rvm.Regressor{Bias: rvm.BiasARD} }, nil)
	estimatortest.Regressor(t, "rvm.Regressor (none)", func() estimators.Regressor { return &rvm.Regressor{Bias: rvm.BiasNone, NoiseVariance: 0.1} }, nil)
	estimatortest.Classifier(t, "rvm.Classifier", func() estimators.Classifier { return &rvm.Classifier{} }, &estimatortest.Options{Workers: func(w int) any { return &rvm.Classifier{Workers: w} }})
}
