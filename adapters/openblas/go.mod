module github.com/kernelearn/kernelearn/adapters/openblas

go 1.25.0

require (
	github.com/kernelearn/kernelearn v0.0.0
	github.com/stretchr/testify v1.12.1
	gonum.org/v1/gonum v0.17.0
	gonum.org/v1/netlib v0.0.0-20230729102104-8b8060e7531f
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.46.0 // indirect
)

replace github.com/kernelearn/kernelearn => ../..
