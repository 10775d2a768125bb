package selection

import "math"

// missing is the value of what was not computed.
var missing = math.NaN()
