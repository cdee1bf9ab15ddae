package terminal

import (
	"strings"
	"time"
)

// Lesson is one that was given, and can be replayed.
type Lesson struct {
	Code     string // of its room
	Began    time.Time
	Length   string
	Chapters []string // their titles
	Ended    bool
}

// Lessons draws lessons, each with its code, when and how long it was, and its chapters.
func (l Look) Lessons(all []Lesson) string {
	p := l.page()
	for _, one := range all {
		text := one.Began.Format("2 January 2006, 15:04") + "; " + one.Length
		if !one.Ended {
			text += ", not ended"
		}
		if len(one.Chapters) > 0 {
			text += "; " + visible("“"+strings.Join(one.Chapters, "”, “")+"”")
		}
		p.prose(styled(strong, one.Code)+"  ", strings.Repeat(" ", len(one.Code)+2), text)
	}
	p.blank()
	return p.String()
}
