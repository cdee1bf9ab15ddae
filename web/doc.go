// Package web serves the workbench: pages that hold every number before a
// script runs, and a live connection over which their widgets run examples.
//
//	/                          contents
//	/chapters/01-one-product   a chapter; ?widget=…&step=…&cell=…&device=…#… opens
//	                           it at a step, which the page's script reads
//	/chapters/01-one-product/x.svg   a picture beside the chapter's text
//	/exercises                 all exercises, and how far the learner is; ?state=open,
//	                           kind=cuda, chapter=6 and text=… choose some
//	/exercises/guard           leads to one of them
//	/assets/…                  style sheets, scripts, icons
//	/live                      the live connection, one WebSocket a page
//	/api/compare.csv           every value of two devices: ?a=cpu&b=cuda:0&text=ab, and
//	                           whatever else an input of the decoder has, such as
//	                           precision=float32
//	/api/compare.json          the same
//	/healthz                   whether the server is up
//	/replays                   lessons that were saved, shown again in the chapters
//
// A server for presenting has rooms too, which are all that other machines see:
//
//	/join, /join/K7QM2X        where a class types its code, or comes in by it
//	/present/…                 makes a browser a presenter's, once: a page with a form,
//	                           which is sent to /present
//	/rooms/K7QM2X/chapters/…   a chapter as the class follows it; stage/… as it is
//	                           projected, preview/… as the desk shows what is next
//	/rooms/K7QM2X/desk         the presenter's desk; notes/… of a chapter
//	/rooms/K7QM2X/live         the live connection of a page in the room
//	/rooms/K7QM2X/passes       takes reports of exercises that passed
//	/rooms/K7QM2X/lesson       the lesson so far, as a file
//
// The packages below it have one subject each: chapter reads and checks
// sources, figure and chart draw what a run made, exercise reads what a learner
// has done, page writes whole pages, run is the seam to the engine, socket the live connection, guard keeps other
// sites out, blob serves bytes, watch and quote are for authors.
//
// The server is handed opened devices and does no arithmetic on results: a
// Runner that lies makes every page and every message show its lies.
package web
