module github.com/kernelearn/kernelearn/.ci/tools

go 1.25.0

require golang.org/x/tools v0.44.0

require (
	golang.org/x/mod v0.35.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
)
