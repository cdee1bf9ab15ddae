package page

// Pages of rooms that are no chapters: they link to nothing but the room's own.
var (
	join = parse("join.html")
	told = parse("told.html")
	link = parse("link.html")
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

// Presenting is what the page of a presenter's link says.
type Presenting struct {
	Code   string // of its room, or ""
	Secret string // of a link that holds

	Used, Over bool // why it does not; neither of one that nobody knows
	Desk       bool // there was no link: a page was asked for that is the presenter's
}

// Present writes the page of a presenter's link: it goes on to the desk, or says why not
// and how to get another.
func Present(site Site, p Presenting) []byte {
	site.Room = nil
	f := frame{Site: site, Outside: true, Presenting: p}
	switch {
	case p.Secret != "":
		f.Heading, f.Description = "Present in room "+p.Code, "This link makes this browser the presenter’s, once. The desk opens, from which you lead the lesson."
	case p.Used:
		f.Heading, f.Description = "This link was used already", "A presenter’s link makes one browser the presenter’s, once: who finds it later, on a projector or in a history, cannot lead the lesson with it."
	case p.Over:
		f.Heading, f.Description = "This link’s time is over", "A presenter’s link holds for some minutes: who finds it later cannot lead the lesson with it."
	case p.Desk:
		f.Heading, f.Description = "This is the presenter’s", "This page is for who presents in room "+p.Code+", in a browser in which a presenter’s link was opened."
	default:
		f.Heading, f.Description = "This link opens no room", "It was used already in a lesson that is over, or a part of it is missing."
	}
	return write(link, f)
}
