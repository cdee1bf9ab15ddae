package tensor

import "fmt"

// AxisPlan is a checked reduction of one axis. The other axes number G groups
// in row-major order, each with the K values of the axis:
//
//	input [.., K, ..] → groups [G, K] → output [G], in OutputShape
type AxisPlan struct {
	G, K    int
	Groups  View // the input with the reduced axis last: shape [.., K]
	Axis    int
	KeepDim bool
	shape   []int
}

// PlanAxis checks the reduction of an axis of v. With keepDim the output keeps
// the axis with length 1.
func PlanAxis(v View, axis int, keepDim bool) (*AxisPlan, error) {
	if axis < 0 || axis >= v.Rank() {
		reason := fmt.Sprintf("has no axis %d: axes run from 0 to %d", axis, v.Rank()-1)
		if v.Rank() == 0 {
			reason = "is a scalar and has no axis to reduce"
		}
		return nil, &ShapeError{Op: "reduce", Left: v.Shape(), Reason: reason}
	}
	plan := &AxisPlan{G: 1, K: v.shape[axis], Axis: axis, KeepDim: keepDim}
	groups := v
	groups.shape, groups.strides = nil, nil
	for a, d := range v.shape {
		if a == axis {
			if keepDim {
				plan.shape = append(plan.shape, 1)
			}
			continue
		}
		plan.G *= d
		plan.shape = append(plan.shape, d)
		groups.shape = append(groups.shape, d)
		groups.strides = append(groups.strides, v.strides[a])
	}
	groups.shape = append(groups.shape, v.shape[axis])
	groups.strides = append(groups.strides, v.strides[axis])
	plan.Groups = groups
	return plan, nil
}

// OutputShape returns the input's shape without the axis, or with length 1.
func (p *AxisPlan) OutputShape() []int { return clone(p.shape) }

// Empty reports that the reduction needs no arithmetic: no groups, or no
// values in them.
func (p *AxisPlan) Empty() bool { return p.G == 0 || p.K == 0 }

// region:groups

// Pack copies the groups as the rows of a matrix, [G, K] row-major. The sums
// are its product with a column of K ones.
func (p *AxisPlan) Pack() []float64 { return p.Groups.Pack().data }

// endregion:groups

// Group returns a copy of the K values of group g, in axis order.
func (p *AxisPlan) Group(g int) ([]float64, error) {
	if g < 0 || g >= p.G {
		return nil, &ShapeError{Op: "group", Left: []int{g}, Reason: "lies outside the reduction of " + plural(p.G, "group")}
	}
	lead := p.Groups.Shape()[:p.Groups.Rank()-1]
	row := p.Groups.matrixAt(Coordinate(lead, g))
	return row.Pack().data, nil
}
