module example.com/extend

go 1.25.0

require (
	github.com/kernelearn/kernelearn v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/fxamacker/cbor/v2 v2.10.0 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/tools v0.48.0 // indirect
)

replace github.com/kernelearn/kernelearn => ../..
