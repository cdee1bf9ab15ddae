package worker

// Command says how a worker is started.
type Command struct {
	Path string   // the program; its own file if empty
	Args []string // that make it a worker: "worker", "cuda:0"
	Env  []string // in addition to the program's own environment
}
