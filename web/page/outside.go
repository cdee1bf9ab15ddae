package page

// Pages of rooms that are no chapters: they link to nothing but the room's own.
var (
	join = parse("join.html")
	told = parse("told.html")
)

// Way is a link onward.
type Way struct{ Href, Text string }

// Joining is what the page says on which a class types its code.
type Joining struct {
	Typed string // before, to be mended
	Wrong string // what is wrong with it, or ""
}

// Join writes the page on which a class types its code.
func Join(site Site, j Joining) []byte {
	site.Room = nil
	return write(join, frame{
		Site: site, Outside: true, Heading: "Join a lesson", Joining: j,
		Description: "Follow a lesson in your browser: type the code that the presenter shows.",
	})
}

// Told writes a page that says something, and where to go from there.
func Told(site Site, heading, sentence string, ways ...Way) []byte {
	site.Room = nil
	return write(told, frame{Site: site, Outside: true, Heading: heading, Description: sentence, Ways: ways})
}
