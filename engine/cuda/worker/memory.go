package worker

import "math"

// mostShared bounds the shared memory of a worker, in bytes: no request of the
// course comes near it, and sums of lengths below it cannot overflow.
const mostShared = min(1<<36, math.MaxInt/4)
