// Package live keeps the rooms in which an instructor steps through chapters and a
// class follows.
//
// What a room shares is the state of the work: which chapter, which widget is in
// front, and of each widget its place, its inputs and what was run of it. A page in
// a room is an ordinary chapter page whose live connection sits in the room
// (socket.Seat). Three things come to it:
//
//	news     the state, each part whole and numbered: news.go
//	answers  to what its widgets ask. What a presenter's page asked for once is kept
//	         and answered to everybody alike, so that a follower computes nothing: answers.go
//	refusals of everything else: seat.go
//
// What pages say to a room is do.go, and of that what a presenter shows drive.go. One
// presenter at a time has the wheel: wheel.go. What the class says, without names, is
// class.go and poll.go. Whatever happens is written down as it happens
// (journal.go), so that a server that was killed knows its rooms when it starts
// again (store.go), and so that the lesson can be replayed (lesson.go). The lessons that
// are over are kept.go.
//
// What a room takes is bounded: in memory by the answers that it keeps (Limits.Answers,
// 48 MiB), the texts of changed widgets (Limits.Views, 4 MiB, and as much again as they
// are told to who comes), and the recordings of what was run, which all rooms and pages share
// (package socket); on disk by the lesson (Limits.Journal). A drive beyond that is
// refused, and the stage says so.
package live
