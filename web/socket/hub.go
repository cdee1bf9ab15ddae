package socket

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"workbench/assets"
	"workbench/engine/device"
	"workbench/engine/experiment"
	"workbench/engine/trace"
	"workbench/web/run"
)

// Limits bound what one page, and all pages together, may ask for. A zero
// field takes the default.
type Limits struct {
	Pages     int           // connections at once of pages on their own; 256
	Seats     int           // and of those that sit somewhere; 4096
	Message   int64         // bytes of one message from a page; 1 MiB
	Working   int           // requests of a page that run at once; 4
	Waiting   int           // and that wait for their turn; 16
	Runs      int           // of a page that are kept for explain; 8
	Values    int           // in one trace, and in all kept traces of a page; 2²⁰
	RunTime   time.Duration // of one request; 10 s
	Measuring time.Duration // of a request that measures a GPU, many runs of one product; 2 min
	Ping      time.Duration // between two pings; 25 s
	Silence   time.Duration // until a page that answers no ping is gone; 60 s
	Write     time.Duration // for one message to be taken; 10 s
	Letters   int           // messages that wait to be sent to a page; 32
	Outbox    int           // and their bytes; 16 MiB
	Progress  time.Duration // between two signs of life of a long run; 500 ms
	Rate      int           // messages of a page that are read in a second; 0 for all
}

// WithDefaults returns the limits with every zero field replaced.
func (l Limits) WithDefaults() Limits {
	number := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	span := func(field *time.Duration, value time.Duration) {
		if *field <= 0 {
			*field = value
		}
	}
	number(&l.Pages, 256)
	number(&l.Seats, 4096)
	if l.Message <= 0 {
		l.Message = 1 << 20
	}
	number(&l.Working, 4)
	number(&l.Waiting, 16)
	number(&l.Runs, 8)
	number(&l.Values, 1<<20)
	span(&l.RunTime, 10*time.Second)
	span(&l.Measuring, 2*time.Minute)
	span(&l.Ping, 25*time.Second)
	span(&l.Silence, 60*time.Second)
	span(&l.Write, 10*time.Second)
	span(&l.Progress, 500*time.Millisecond)
	number(&l.Letters, 32)
	number(&l.Outbox, 16<<20)
	return l
}

// or returns the limits with every zero field taken from others.
func (l Limits) or(others Limits) Limits {
	return Limits{
		Pages: cmp.Or(l.Pages, others.Pages), Seats: cmp.Or(l.Seats, others.Seats), Rate: cmp.Or(l.Rate, others.Rate), Message: cmp.Or(l.Message, others.Message),
		Working: cmp.Or(l.Working, others.Working), Waiting: cmp.Or(l.Waiting, others.Waiting),
		Runs: cmp.Or(l.Runs, others.Runs), Values: cmp.Or(l.Values, others.Values),
		RunTime: cmp.Or(l.RunTime, others.RunTime), Measuring: cmp.Or(l.Measuring, others.Measuring),
		Ping: cmp.Or(l.Ping, others.Ping), Silence: cmp.Or(l.Silence, others.Silence),
		Write: cmp.Or(l.Write, others.Write), Progress: cmp.Or(l.Progress, others.Progress),
		Letters: cmp.Or(l.Letters, others.Letters), Outbox: cmp.Or(l.Outbox, others.Outbox),
	}
}

// Options of a Hub.
type Options struct {
	Runner run.Runner
	// Host are the devices that are listed until the Runner has said which
	// there are.
	Host []device.Info
	// PageTrace returns the trace that a page was served with, or nil.
	PageTrace func(chapter, widget string) *trace.Trace
	// PageOutcome returns what came of a kernel that a page was served with, or
	// nil. A widget may have several.
	PageOutcome func(chapter, widget string, which int) *experiment.Outcome
	// Measurements are those of GPUs, whose limits kernels are held against.
	Measurements []assets.Measurement
	Build        string
	Reload       bool // the chapters are watched, and Reload will be called
	// Exercises are the first versions of what pages show of the exercises; nil
	// where there are none.
	Exercises map[string]string
	Logger    *slog.Logger
	Limits    Limits
}

// A Hub has every page's connection.
type Hub struct {
	options  Options
	upgrader websocket.Upgrader
	roster   roster
	bench    bench
	end      context.CancelFunc // of the roster's looks

	mu     sync.Mutex
	conns  map[*conn]bool // guarded by mu; nil once closed
	alone  int            // guarded by mu: those that sit nowhere
	seated int            // guarded by mu: and those that do
	news   []byte         // guarded by mu: the last message about the exercises, or nil
	served sync.WaitGroup
}

// NewHub returns a hub without connections. It begins to look which devices are
// there.
func NewHub(o Options) *Hub {
	o.Limits = o.Limits.WithDefaults()
	h := &Hub{
		options: o,
		conns:   map[*conn]bool{},
		upgrader: websocket.Upgrader{
			HandshakeTimeout: 5 * time.Second,
			// Who may connect is decided before the hub is asked.
			CheckOrigin: func(*http.Request) bool { return true },
			Error:       func(http.ResponseWriter, *http.Request, int, error) {},
			// A thousand pages that are told nothing hold no buffer each.
			WriteBufferPool: &sync.Pool{},
		},
	}
	if len(o.Exercises) > 0 {
		h.news = exercisesMessage(o.Exercises)
	}
	h.roster.look, h.roster.tell, h.roster.known = o.Runner.Devices, h.devices, o.Host
	h.roster.life, h.end = context.WithCancel(context.Background())
	h.roster.begin()
	return h
}

// ServeHTTP makes a request into a connection and serves it until it ends. The
// caller has checked where the request comes from.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) error { return h.serve(w, r, nil) }

func (h *Hub) serve(w http.ResponseWriter, r *http.Request, seat Seat) error {
	rise := func() {}
	c := newConn(h, seat)
	if seat != nil {
		rise = sync.OnceFunc(func() { seat.Rise(c.page) })
	}
	defer rise() // the seat is free again, whatever becomes of the connection
	if !websocket.IsWebSocketUpgrade(r) {
		c.end()
		return ErrNotSocket
	}
	if !h.add(c) {
		c.end()
		return ErrFull
	}
	defer h.remove(c)
	defer c.end()
	ws, err := h.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return ErrNotSocket
	}
	defer rise() // before what it asked for has ended
	if seat != nil {
		seat.Sit(c.page)
	}
	c.serve(ws)
	return nil
}

// Errors of ServeHTTP, before anything is written.
var (
	ErrNotSocket = &run.Failure{Code: run.CodeProtocol, Message: "This address speaks WebSocket and nothing else."}
	ErrFull      = &run.Failure{Code: run.CodeBusy, Message: "Too many pages are open.", Next: "Close some and reload this one."}
)

func (h *Hub) add(c *conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	count, most := &h.alone, h.options.Limits.Pages
	if c.seat != nil {
		count, most = &h.seated, h.options.Limits.Seats
	}
	if h.conns == nil || *count >= most {
		return false
	}
	*count++
	// The greeting comes before anything that is told to all: no reload is
	// queued before it, and no list of devices is missed after it.
	c.greet()
	if c.seat == nil {
		if h.news != nil {
			c.out.tell(Exercises, h.news)
		}
	}
	h.conns[c] = true
	h.served.Add(1)
	return true
}

func (h *Hub) remove(c *conn) {
	h.mu.Lock()
	delete(h.conns, c)
	if c.seat == nil {
		h.alone--
	} else {
		h.seated--
	}
	h.mu.Unlock()
	if c.seat == nil {
		c.table.Clear()
	}
	h.served.Done()
}

// Reload tells every page that a chapter has changed on disk. It waits for none
// of them.
func (h *Hub) Reload(chapter string) {
	text, err := encode(Message{Type: Reload, Chapter: chapter})
	if err != nil {
		panic("BUG: a reload message is always JSON: " + err.Error())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		c.out.tell("reload "+chapter, text)
	}
}

// Exercises tells every page which versions there are of what pages show of the
// exercises. It waits for none of them.
func (h *Hub) Exercises(versions map[string]string) {
	text := exercisesMessage(versions)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.news = text
	for c := range h.conns {
		if c.seat == nil {
			c.out.tell(Exercises, text)
		}
	}
}

func exercisesMessage(versions map[string]string) []byte {
	text, err := encode(Message{Type: Exercises, Versions: versions})
	if err != nil {
		panic("BUG: a message of versions is always JSON: " + err.Error())
	}
	return text
}

// devices tells every page which devices are there. It waits for none of them.
func (h *Hub) devices(devices []device.Info) {
	alone, seated := devicesMessage(devices), devicesMessage(inPublic(devices))
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		text := alone
		if c.seat != nil {
			text = seated
		}
		c.out.tell("devices", text)
	}
}

func devicesMessage(devices []device.Info) []byte {
	text, err := encode(Message{Type: Devices, Devices: devices})
	if err != nil {
		panic("BUG: a list of devices is always JSON: " + err.Error())
	}
	return text
}

// inPublic leaves out why devices are not there, which names files of this machine:
// a page in a room is shown to others.
func inPublic(devices []device.Info) []device.Info {
	public := make([]device.Info, len(devices))
	for i, d := range devices {
		public[i] = device.Info{Spec: d.Spec, Name: d.Name, Available: d.Available}
	}
	return public
}

// Close ends every connection, cancels what they run, and waits for it.
func (h *Hub) Close() {
	h.end()
	h.mu.Lock()
	conns := h.conns
	h.conns = nil
	h.mu.Unlock()
	var going sync.WaitGroup
	for c := range conns {
		going.Go(c.goAway) // which waits a second for one that does not read
	}
	going.Wait()
	h.served.Wait()
	h.roster.looks.Wait()
}
