package web

import (
	"context"
	"io/fs"
	"log/slog"

	"workbench/engine/device"
	"workbench/web/exercise"
	"workbench/web/run"
	"workbench/web/socket"
)

// Options of a Server. Chapters and Assets are needed, and either Open, List
// and Emulator or Runner; every other zero field has a default.
type Options struct {
	// Chapters are the course's own chapters, as package chapters embeds
	// them. A mistake in one stops New.
	Chapters fs.FS

	// AuthorDir is a folder of chapters that is served in their place, and
	// watched: a saved chapter shows at once, with its mistakes where they are.
	// Quotes may still come from Chapters.
	AuthorDir string
	// Notice, if any, takes a sentence for the author whenever there is news of
	// the folder: how many mistakes its chapters have, that it has none, that
	// it is gone. Calls come one at a time, the first from New.
	Notice func(sentence string)

	// Exercises, if any, are the course's, and where a learner works on them. The
	// learner's folder is watched: what a check in a terminal finds shows at once.
	Exercises exercise.Source
	Desk      exercise.Options

	// Assets are the files under /assets/: css, js, icons, dist.
	Assets fs.FS
	// HasBundle says whether the third-party scripts are among them.
	HasBundle bool

	// Open opens a device by name, List says which there are: the engine's
	// front door. A slow Open keeps nobody waiting but those who asked for that
	// device, and a slow List keeps nobody waiting: pages are told when it answers.
	Open func(ctx context.Context, spec string) (device.Device, error)
	List func(ctx context.Context) []device.Info
	// Emulator makes what runs kernels without a GPU and records them, likewise.
	Emulator run.Emulator
	// Host are the devices that pages list until List has answered: those that
	// are there on every machine.
	Host []device.Info
	// Runner replaces the one made of Open, List and Emulator.
	Runner run.Runner

	// Rooms, if any, have the server serve rooms, in which a class follows.
	Rooms *RoomOptions

	// Lessons is the folder of rooms whose lessons can be replayed, if any.
	Lessons string

	// Hosts are names by which the server is reached, besides localhost and
	// addresses written as numbers. Origins are those of its pages where a proxy in
	// front of it gives them another: https://lab.example.org.
	Hosts, Origins []string

	// Build names the program that serves. Pages show it.
	Build  string
	Logger *slog.Logger // what goes wrong; discarded if nil

	// Limits bound the live connections, and RunTime also the downloads.
	Limits socket.Limits
}
