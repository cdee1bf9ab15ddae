package page

import (
	"html/template"
	"strings"

	"workbench/web/qr"
)

// A door is how a class comes into a room, to be shown as large as a screen is.
type door struct {
	Code  string
	Ways  []doorWay
	Alone bool // no other machine comes in
}

// A doorWay is an address of the join page.
type doorWay struct {
	Address string        // whole
	Short   string        // as it is read out: without a scheme, and without the code, which the page asks for
	QR      template.HTML // "" if the address is too long for one
}

// newDoor returns the door of a room, of the addresses of its join page.
func newDoor(code string, addresses []string) *door {
	d := &door{Code: code}
	for _, address := range addresses {
		way := doorWay{Address: address, Short: address}
		if _, rest, ok := strings.Cut(address, "://"); ok {
			way.Short = strings.TrimSuffix(rest, "/"+code)
		}
		if picture, err := qr.New(address); err == nil {
			way.QR = picture.SVG("QR code of " + address)
		}
		d.Ways = append(d.Ways, way)
	}
	return d
}
