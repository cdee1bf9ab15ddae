// Package lessons are the course's exercises, in the order in which they are
// done. What one consists of is said in package lesson; package runner checks
// them.
package lessons

import (
	"embed"
	"io/fs"
	"time"

	"workbench/engine/device"
	alongmemory "workbench/lessons/along-memory"
	bankconflicts "workbench/lessons/bank-conflicts"
	barrierinabranch "workbench/lessons/barrier-in-a-branch"
	batchedproduct "workbench/lessons/batched-product"
	blocksum "workbench/lessons/block-sum"
	broadcastshapes "workbench/lessons/broadcast-shapes"
	bytesofanoperand "workbench/lessons/bytes-of-an-operand"
	bytesthatcross "workbench/lessons/bytes-that-cross"
	causalmask "workbench/lessons/causal-mask"
	checkedview "workbench/lessons/checked-view"
	commonpair "workbench/lessons/common-pair"
	crossentropy "workbench/lessons/cross-entropy"
	decoderinnumbers "workbench/lessons/decoder-in-numbers"
	fetchedhowoften "workbench/lessons/fetched-how-often"
	flatindex "workbench/lessons/flat-index"
	fusedcell "workbench/lessons/fused-cell"
	gridstride "workbench/lessons/grid-stride"
	groupsofanaxis "workbench/lessons/groups-of-an-axis"
	"workbench/lessons/guard"
	"workbench/lessons/histogram"
	index2d "workbench/lessons/index-2d"
	leftadjoint "workbench/lessons/left-adjoint"
	"workbench/lessons/lesson"
	loadtiles "workbench/lessons/load-tiles"
	logsumexp "workbench/lessons/log-sum-exp"
	lostinasum "workbench/lessons/lost-in-a-sum"
	"workbench/lessons/mean"
	mergeapair "workbench/lessons/merge-a-pair"
	missingbarriers "workbench/lessons/missing-barriers"
	naiveproduct "workbench/lessons/naive-product"
	onecell "workbench/lessons/one-cell"
	onethreadeach "workbench/lessons/one-thread-each"
	packaview "workbench/lessons/pack-a-view"
	placesofaview "workbench/lessons/places-of-a-view"
	productinnumbers "workbench/lessons/product-in-numbers"
	raggededge "workbench/lessons/ragged-edge"
	readsforaproduct "workbench/lessons/reads-for-a-product"
	registerblocking "workbench/lessons/register-blocking"
	rowsum "workbench/lessons/row-sum"
	samebits "workbench/lessons/same-bits"
	secondbarrier "workbench/lessons/second-barrier"
	sectorsofarequest "workbench/lessons/sectors-of-a-request"
	sharedtile "workbench/lessons/shared-tile"
	sparserows "workbench/lessons/sparse-rows"
	stablesoftmax "workbench/lessons/stable-softmax"
	stridedoperand "workbench/lessons/strided-operand"
	"workbench/lessons/strides"
	sumalongaxis "workbench/lessons/sum-along-axis"
	surplusthreads "workbench/lessons/surplus-threads"
	tiledproduct "workbench/lessons/tiled-product"
	"workbench/lessons/transpose"
	transposeview "workbench/lessons/transpose-view"
	treesum "workbench/lessons/tree-sum"
	turnsofthebanks "workbench/lessons/turns-of-the-banks"
	whoraces "workbench/lessons/who-races"
	wholeproduct "workbench/lessons/whole-product"
)

//go:embed */statement.md */*.cu */starter */solution */mutants
var files embed.FS

// Files are the folders of the exercises, by their IDs: what of them is text.
func Files() fs.FS { return files }

// Where exercises are checked.
var (
	host = []device.Kind{device.CPU}                   // a Go exercise, a question
	gpus = []device.Kind{device.Emulator, device.CUDA} // a CUDA exercise
)

// All are the exercises in order.
var All = []lesson.Lesson{
	// Chapter 1: one product by hand.
	{
		ID: "flat-index", Title: "Find the place of an element in memory", Chapter: 1,
		Devices: host, Limit: 5 * time.Second, Check: flatindex.Check,
		Hints: []string{
			"Start with one row: [j] of n elements lies at j. What does a second axis add in front of it?",
			"Every step along an axis passes over as many elements as one step of the axes behind it has in all.",
			"Go through the axes from the first to the last. Before you add the next index, multiply what you have by that axis's extent.",
		},
	},
	{
		ID: "product-in-numbers", Title: "Count the work of a batched product", Chapter: 1,
		Devices: host, Limit: 10 * time.Second, Check: productinnumbers.Check,
		Hints: []string{
			"Draw one of the three result matrices. How many cells has it, and how many lie in front of a cell in row 1, column 3?",
			"place = (batch · rows + row) · columns + column, with the rows and columns of the result. To go back, divide by the columns first and look at the remainder.",
			"Every cell is 6 multiplications and 6 additions, the first of them to zero. How many cells are there? And which of these additions have to wait for another one?",
		},
	},
	{
		ID: "one-cell", Title: "Compute one cell, in order", Chapter: 1,
		Devices: host, Limit: 5 * time.Second, Check: onecell.Check,
		Hints: []string{
			"A running sum that starts from 0, and a loop over k. How many terms are there, and may there be none?",
			"In each step multiply row[k] by column[k] and add the product to the sum. Begin with k = 0 and go up by 1.",
			"Write float64(row[k]*column[k]): the conversion looks idle, and says that the product is rounded before it is added.",
		},
	},
	{
		ID: "lost-in-a-sum", Title: "Say what a sum loses", Chapter: 1,
		Devices: host, Limit: 10 * time.Second, Check: lostinasum.Check,
		Hints: []string{
			"Go from left to right and write down each sum before it is rounded. Is it a value that the format has?",
			"A sum that lies half-way between two neighbours goes to the one whose last bit is 0. Counted in steps of 2, that is the one with an even number of steps.",
			"1e16 is an even number of steps of 2, so 1e16 + 1 goes back to it. 1e16 + 3 lies between 1e16 + 2 and 1e16 + 4: which of these two is an even number of steps?",
		},
	},
	{
		ID: "fused-cell", Title: "Compute one cell, fused", Chapter: 1,
		Devices: host, Limit: 5 * time.Second, Check: fusedcell.Check,
		Hints: []string{
			"It is the same loop as in the exercise before. Only the step differs.",
			"Which of x, y and z of math.FMA is the running sum? It is the one that is added and not multiplied.",
			"In each step the sum becomes math.FMA of the two factors and of the sum so far. Nothing may be multiplied before that.",
		},
	},
	{
		ID: "whole-product", Title: "Multiply two matrices", Chapter: 1,
		Devices: host, Limit: 5 * time.Second, Check: wholeproduct.Check,
		Hints: []string{
			"You have one cell already. Which i and j are there, and what changes between two cells?",
			"Three loops: over the rows i of left, over the columns j of right, and inside of both over l, which is what the sum runs over.",
			"left[i, l] is left[i*k+l], right[l, j] is right[l*n+j], and the cell goes to i*n+j. The sum starts from 0 for each cell.",
		},
	},

	// Chapter 2: rows, sums and means.
	{
		ID: "groups-of-an-axis", Title: "Say which values a sum brings together", Chapter: 2,
		Devices: host, Limit: 10 * time.Second, Check: groupsofanaxis.Check,
		Hints: []string{
			"The axis that is summed is gone from a group's number. What is left of [3, 4, 5] to count the groups?",
			"A step along axis 0 passes over everything that the axes behind it have: 4 rows of 5.",
			"Group g begins at the element [0, i, j] whose place is g, as long as the axis in front is the one that is summed. For the means along axis 1, write out the groups of [0, i, j] and [1, i, j] and count the results from 0.",
		},
	},
	{
		ID: "sum-along-axis", Title: "Add up a tensor along any axis", Chapter: 2,
		Devices: host, Limit: 5 * time.Second, Check: sumalongaxis.Check,
		Hints: []string{
			"Write out the eight groups of [2, 3, 4] along axis 1, with the place of each value. What is the same in all of them?",
			"Only three numbers matter: how many elements the axes in front of the axis have, the extent of the axis, and how many the axes behind it have.",
			"The value of b in front, k along the axis and i behind lies at (b·extent + k)·behind + i, and belongs to the sum at b·behind + i.",
		},
	},
	{
		ID: "mean", Title: "Find a mean, and refuse that of nothing", Chapter: 2,
		Devices: host, Limit: 5 * time.Second, Check: mean.Check,
		Hints: []string{
			"What would your code do for no values? Look at the division.",
			"Ask for the length first. A slice without elements need not be nil, and a sum of 0 need not come from nothing.",
			"Add all values up, and then divide once by float64(len(values)). No 1/K, and no division within the loop.",
		},
	},
	{
		ID: "tree-sum", Title: "Add up in a tree", Chapter: 2,
		Devices: host, Limit: 5 * time.Second, Check: treesum.Check,
		Hints: []string{
			"One round takes the numbers there are and makes half as many. What does it do if one is left over?",
			"A round: for i = 0, 2, 4 … add the numbers i and i+1 and append the sum to a new slice. A last number without a neighbour is appended as it is.",
			"Copy the values first, repeat rounds while there is more than one number, and return what is left. Ask for no values before you begin.",
		},
	},

	// Chapter 3: views and packing.
	{
		ID: "strides", Title: "Find the strides of a shape", Chapter: 3,
		Devices: host, Limit: 5 * time.Second, Check: strides.Check,
		Hints: []string{
			"What is the stride of the last axis, whatever the shape is?",
			"A step along an axis passes over all elements of the axes behind it. How many are these for the first axis of [2, 3, 4]?",
			"Go from the last axis to the first, with a product that starts at 1. Write it down as the stride, and only then multiply it by the axis's extent.",
		},
	},
	{
		ID: "places-of-a-view", Title: "Find elements through a view", Chapter: 3,
		Devices: host, Limit: 10 * time.Second, Check: placesofaview.Check,
		Hints: []string{
			"Write the three stored rows on paper, and the transposed view beside them. Each number says where it lies.",
			"A view finds [i, j] at offset + i · (first stride) + j · (second stride). Nothing else is stored.",
			"Every second row doubles the first stride and leaves the second. Beginning with row 1 adds one first stride to the offset. And what does a step along a repeated axis add?",
		},
	},
	{
		ID: "checked-view", Title: "Read through a view, and refuse what is not there", Chapter: 3,
		Devices: host, Limit: 5 * time.Second, Check: checkedview.Check,
		Hints: []string{
			"Find the element first, with the formula. Then ask what could go wrong in each step of it.",
			"Four things: the number of entries, an entry below 0, an entry at the extent or above, and a place outside of Data. That the place is fine does not say that the index is.",
			"Compare len(index) with len(v.Shape) before the loop. In the loop refuse i < 0 || i >= v.Shape[axis], and add i*v.Strides[axis] to a place that starts at v.Offset. Look at the place behind the loop.",
		},
	},
	{
		ID: "transpose-view", Title: "Transpose without moving a number", Chapter: 3,
		Devices: host, Limit: 5 * time.Second, Check: transposeview.Check,
		Hints: []string{
			"Which of the four fields of a view say how it is read, and which of them change?",
			"Exchange two entries of Shape, and the same two of Strides. But whose slices are these?",
			"append([]int(nil), v.Shape...) is a copy that is yours. Exchange in copies of both, and put these into the view that you return.",
		},
	},
	{
		ID: "broadcast-shapes", Title: "Say which shapes go together", Chapter: 3,
		Devices: host, Limit: 5 * time.Second, Check: broadcastshapes.Check,
		Hints: []string{
			"Write the two shapes below each other, with their last axes in one column. What does an axis that is missing count as?",
			"Count from the back: the last axis of both, the one before, and so on up to the longer one. A missing extent is 1.",
			"For two extents x and y: if they are equal or y is 1, it is x; if x is 1, it is y; otherwise an error. The larger one is not always right: think of 0 and 1.",
		},
	},
	{
		ID: "pack-a-view", Title: "Lay out what a view reads", Chapter: 3,
		Devices: host, Limit: 5 * time.Second, Check: packaview.Check,
		Hints: []string{
			"How many elements does a view of this shape have? That is how many times you append.",
			"For each count from 0 on you need the index that belongs to it. The last axis turns fastest, like the last digit of a number.",
			"The last index is the count modulo the last extent. Divide the count by that extent, and go on with the axis in front. Add index times stride to a place that starts at v.Offset.",
		},
	},

	// Chapter 4: a tiny decoder and its gradients.
	{
		ID: "common-pair", Title: "Find the most common pair of tokens", Chapter: 4,
		Devices: host, Limit: 5 * time.Second, Check: commonpair.Check,
		Hints: []string{
			"Count first: how often does each pair of neighbours stand there? A map from [2]int to int can hold it.",
			"Then choose. A pair is better if its count is higher, or if the counts are equal and its tokens are smaller, the left one first.",
			"In a run of equal tokens an occurrence may not begin where the one before ends: when you have counted x x at i, do not count x x at i+1.",
		},
	},
	{
		ID: "merge-a-pair", Title: "Merge a pair of tokens", Chapter: 4,
		Devices: host, Limit: 5 * time.Second, Check: mergeapair.Check,
		Hints: []string{
			"Go through the tokens with an index that you move yourself: sometimes by one, sometimes by two.",
			"Before you look at the token behind, ask whether there is one.",
			"If tokens[i] is left and tokens[i+1] is right, append id and move by two; otherwise append tokens[i] and move by one. Append to a new slice, not to tokens[:0].",
		},
	},
	{
		ID: "stable-softmax", Title: "Turn scores into weights that add up to 1", Chapter: 4,
		Devices: host, Limit: 5 * time.Second, Check: stablesoftmax.Check,
		Within: lesson.Tolerance{Absolute: 1e-300, Relative: 1e-12, Why: "a power of e is good to its last bit, and a sum of ten of them to a few: 1e-12 leaves room for any order"},
		Hints: []string{
			"Find the largest score first. With what does that search begin, if all scores may be far below 0?",
			"math.Inf(-1) is below every score. Then one loop for the powers of e and their sum, and one for the division.",
			"weights[i] = math.Exp(score − largest). Add it to the sum. Divide each weight by the sum when the sum is complete, and use a new slice for the weights.",
		},
	},
	{
		ID: "causal-mask", Title: "Hide what is ahead", Chapter: 4,
		Devices: host, Limit: 5 * time.Second, Check: causalmask.Check,
		Within: lesson.Tolerance{Absolute: 1e-12, Relative: 1e-12, Why: "weights are quotients of at most seven powers of e, each good to its last bit"},
		Hints: []string{
			"Take one row i. Which of its n scores may take part, and what must the others be so that softmax gives them nothing?",
			"Make a new row of n numbers: the score where j is at most i, and math.Inf(-1) behind. Do not write into scores.",
			"Give that row to softmax, and copy what comes back to weights[i*n:]. Position i sees itself: j <= i.",
		},
	},
	{
		ID: "cross-entropy", Title: "Find the loss of a prediction", Chapter: 4,
		Devices: host, Limit: 5 * time.Second, Check: crossentropy.Check,
		Within: lesson.Tolerance{Absolute: 1e-12, Relative: 1e-12, Why: "logits up to 1003 are added to a logarithm, which costs up to a last bit of 1003, 1.1e-13, each time"},
		Hints: []string{
			"There is a search for the largest logit, a loop that adds powers of e, and one line with a logarithm. No probability is worked out.",
			"Subtract the largest logit within math.Exp, so that nothing overflows. What does that do to the logarithm of the sum?",
			"The logarithm of the sum has become smaller by the largest logit: add it in front again, and subtract the target's logit.",
		},
	},
	{
		ID: "decoder-in-numbers", Title: "Count what a larger decoder does", Chapter: 4,
		Devices: host, Limit: 10 * time.Second, Check: decoderinnumbers.Check,
		Hints: []string{
			"Write the document first: the mark that begins it, three letters, the mark that ends it. The model is asked at every place but the last.",
			"The chapter has a table of the parameters for each block, and says how many products a block needs. Two blocks became three.",
			"A block has four projections, scores, mixed values and three products in the feed-forward layer; the head is one more for the whole model. Each product Y = A·W needs G·Wᵀ and Aᵀ·G on the way back.",
		},
	},
	{
		ID: "left-adjoint", Title: "Find the gradient of a product", Chapter: 4,
		Devices: host, Limit: 5 * time.Second, Check: leftadjoint.Check,
		Hints: []string{
			"Take the gradient of A[0, 0] by hand, with the numbers of the statement. Which elements of G and of W do you need?",
			"A[i, l] is used by every cell of row i of Y. So the sum runs over j, along row i of G and along row l of W.",
			"Three loops, over i, l and j: g[i*n+j] times w[l*n+j] is added to place i*k+l.",
		},
	},

	// Chapter 5: the memory boundary.
	{
		ID: "bytes-that-cross", Title: "Count the bytes that cross", Chapter: 5,
		Devices: host, Limit: 10 * time.Second, Check: bytesthatcross.Check,
		Hints: []string{
			"Count values first, of each operand and of the result. Then multiply by the bytes of one.",
			"For the sums, A is multiplied by a column of ones. How long is the column, so that a row of A meets it?",
			"What is read transposed is packed on the host, in the order of reading. How many values does it have then?",
		},
	},
	{
		ID: "bytes-of-an-operand", Title: "Write down the bytes that cross", Chapter: 5,
		Devices: host, Limit: 5 * time.Second, Check: bytesofanoperand.Check,
		Hints: []string{
			"How many bytes has each value, and which of them comes first in memory?",
			"byte(bits) takes the lowest 8 bits of a number and leaves the rest out. Shift to the right to bring the next ones down.",
			"For each value take math.Float64bits(v); then eight times: append byte(bits), and shift bits by 8 to the right. Eight times, also when nothing but zeros is left.",
		},
	},

	// Chapter 6: how kernels divide work.
	{
		ID: "one-thread-each", Title: "Give each element its own thread", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: onethreadeach.Check,
		Hints: []string{
			"Your lines are run by one thread, for one element. Which number do you need first?",
			"How many threads are in all the blocks before this one? Add the thread's place in its own block.",
			"The blocks before have blockIdx.x * blockDim.x threads. Keep the element's number in an int, and use it as the index of both arrays.",
		},
	},
	{
		ID: "guard", Title: "Let the surplus threads do nothing", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: guard.Check,
		Hints: []string{
			"How many threads are there for n = 33, and which of them have an element?",
			"A thread's element is its place in its block plus all threads of the blocks before.",
			"int i = blockIdx.x * blockDim.x + threadIdx.x; and then an if around the one line that reads and writes.",
		},
	},
	{
		ID: "surplus-threads", Title: "Find the threads that are left over", Chapter: 6,
		Devices: host, Limit: 10 * time.Second, Check: surplusthreads.Check,
		Hints: []string{
			"How many threads are in the blocks before the last one, and how many elements are left for that?",
			"Blocks are whole, so the number of blocks is n / 128, rounded up. The last block's first element is 256.",
			"In the last block, the threads with an element are numbered from 0 to 43. Divide by 32 to see which warps are full, which are partly at work, and which have nothing.",
		},
	},
	{
		ID: "index-2d", Title: "Add two matrices on a grid of two axes", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: index2d.Check,
		Hints: []string{
			"Work out the thread's column from the x parts, and its row from the y parts, each as on a grid of one axis.",
			"There are surplus threads at the right edge and at the lower one: a thread works only if both its row and its column are in the matrix.",
			"The element lies at row * columns + column in all three arrays. How long a row is, is the number of columns.",
		},
	},
	{
		ID: "sectors-of-a-request", Title: "Count the sectors that a warp reads", Chapter: 6,
		Devices: host, Limit: 10 * time.Second, Check: sectorsofarequest.Check,
		Hints: []string{
			"Write down the first byte of each thread's element: 4 · (start + t · step). Which multiple of 32 does it follow?",
			"Elements in the same sector cost one sector together. A sector in which nobody wants anything is not moved.",
			"Count from the first sector to that of the last element, and leave out those that no step falls into. With a step of 3 floats, 12 bytes, none is left out.",
		},
	},
	{
		ID: "row-sum", Title: "Sum each row with one warp", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: rowsum.Check,
		Hints: []string{
			"First let warps without a row leave: all their lanes at once, before anything else.",
			"Each lane has a sum of its own, which begins at 0 and takes every 32nd column from the lane's number on. Behind that loop all lanes are together again.",
			"A second loop, behind the first, has away = 16, 8, 4, 2, 1. In it each lane adds what __shfl_down_sync(0xffffffff, sum, away) gives it. At its end lane 0 alone has the whole row.",
		},
	},
	{
		ID: "log-sum-exp", Title: "Bring a maximum to every lane", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: logsumexp.Check, Within: logsumexp.Within,
		Hints: []string{
			"Four steps: each lane's largest element, the largest of all lanes, each lane's sum of expf(in[c] - largest), the sum of all lanes.",
			"A lane without an element begins with -INFINITY for the maximum, which fmaxf never prefers, and with 0 for the sum.",
			"An exchange is a loop of its own, behind the loop over the columns: away = 16, 8, 4, 2, 1, and in it largest = fmaxf(largest, what __shfl_xor_sync gives). With +=, the same makes the sum.",
			"At the end lane 0 writes largest + logf(sum). The others have the same number, and leave it.",
		},
	},
	{
		ID: "shared-tile", Title: "Add neighbours through shared memory", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: sharedtile.Check,
		Hints: []string{
			"First store, then wait, then add. Which numbers must be in the tile so that every thread of the block can add three of it?",
			"A thread without a number stores a 0 at its place: `i < n ? in[i] : 0`. Two threads store a second number: thread 0 the one on the left, thread 63 the one on the right.",
			"in[i - 1] is there only if i > 0, and in[i + 1] only if i + 1 < n; otherwise it counts as 0. The barrier stands outside of every if.",
			"Behind the barrier, thread t finds its left neighbour at tile[t], itself at tile[t + 1] and its right neighbour at tile[t + 2].",
		},
	},
	{
		ID: "barrier-in-a-branch", Title: "Say who never comes to a barrier", Chapter: 6,
		Devices: host, Limit: 10 * time.Second, Check: barrierinabranch.Check,
		Hints: []string{
			"For each kernel, follow thread 0 and thread 63. Do both come to the barrier, and equally often?",
			"What counts is whether all 64 threads of the block come, not whether a barrier is inside of braces, and not whether the lanes of a warp agree.",
			"t / 32 is 0 for the first warp and 1 for the second. And a thread that has returned is not anywhere any more.",
		},
	},
	{
		ID: "missing-barriers", Title: "Put barriers where threads race", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: missingbarriers.Check,
		Hints: []string{
			"Run it as it is: the report names two accesses. Between which two lines do the threads have to wait for each other?",
			"The reading line must not begin before all have stored what the step before left. The storing line must not begin before all have read.",
			"That is one barrier at the beginning of a step and one in its middle. All 64 threads must come to both.",
		},
	},
	{
		ID: "who-races", Title: "Find the two threads that race", Chapter: 6,
		Devices: host, Limit: 10 * time.Second, Check: whoraces.Check,
		Hints: []string{
			"Make a table of the threads: what each writes, and what each reads. Two rows with the same element are what you look for.",
			"6 · t + 8 grows by 6 from thread to thread. For which t has it grown by a multiple of 44?",
			"In shift, one thread alone passes the if. Which elements of line does it read, and who writes those? A barrier helps where one of the two accesses is in front of it and the other one behind.",
		},
	},
	{
		ID: "transpose", Title: "Transpose a matrix by tiles", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: transpose.Check,
		Hints: []string{
			"First get the tile filled: the thread's column and row in `in`, a guard, and tile[threadIdx.y][threadIdx.x].",
			"After the barrier forget the first row and column. Let threadIdx.x run along a row of `out`: its column is blockIdx.y * TILE + threadIdx.x, since tiles of one column of `in` lie in one row of `out`.",
			"The row in `out` is blockIdx.x * TILE + threadIdx.y. `out` has `columns` rows, each of `rows` numbers: both the guard and the index change.",
			"What this thread writes was stored by the thread whose x and y are the other way round: tile[threadIdx.x][threadIdx.y].",
		},
	},
	{
		ID: "turns-of-the-banks", Title: "Count the turns of the banks", Chapter: 6,
		Devices: host, Limit: 10 * time.Second, Check: turnsofthebanks.Check,
		Hints: []string{
			"Element [t][5] of a tile of WIDTH columns is word t · WIDTH + 5. What is that mod 32, for t = 0, 1, 2, 3?",
			"As many turns as the bank with the most different words has. How many rows begin in the same bank?",
			"Rows t and u begin in the same bank where (t − u) · WIDTH is a multiple of 32. For 34 that is every 16th row, so two of 32 rows share a bank.",
		},
	},
	{
		ID: "bank-conflicts", Title: "Read a column without bank conflicts", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: bankconflicts.Check,
		Hints: []string{
			"Which line has the conflicts? Write down word and bank of tile[t][0] for t = 0, 1, 2, 3.",
			"The distance from one row of the tile to the next decides it. With which distances do 32 rows begin in 32 different banks?",
			"A distance that shares no factor with 32 does, which is any odd one. What a row is too long by, nobody has to use.",
		},
	},
	{
		ID: "grid-stride", Title: "Sweep over an array with a fixed grid", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: gridstride.Check,
		Hints: []string{
			"A thread's first element is the same as with one element each. Which is its second one?",
			"All threads of the grid take one element each in a round, so the next round begins gridDim.x * blockDim.x further on.",
			"A for loop has all three: where it begins, `i < n`, which is the guard as well, and what is added to i.",
		},
	},
	{
		ID: "block-sum", Title: "Sum a block as a tree", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: blocksum.Check,
		Hints: []string{
			"First every thread stores something at partial[t], the surplus threads too. What changes no sum?",
			"In a loop, half is 64, 32, 16 … 1. Threads below half add partial[t + half] to partial[t].",
			"Before each of these steps stands __syncthreads(), inside of the loop and outside of the if: all threads come to it, also when they have nothing to add.",
			"Behind the loop partial[0] is the sum, and thread 0 wrote it itself.",
		},
	},
	{
		ID: "same-bits", Title: "Add up in the same order every time", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: samebits.Check,
		Hints: []string{
			"Where does the order come from now? All threads with a partial sum come to the same line, and nobody says who is first.",
			"One thread can do everything in an order that the source shows.",
			"Thread 0 has a float that begins at 0, a loop over the blocks from 0 on, and one write to total[0] at the end. The atomic addition and the barrier are gone.",
		},
	},
	{
		ID: "sparse-rows", Title: "Let each row gather its entries", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: sparserows.Check,
		Hints: []string{
			"The surplus threads first: what has to hold for a thread to have a row?",
			"The entries of the thread's row are k = starts[row] … starts[row + 1] - 1. An empty row has none, and its sum is what it begins with.",
			"An entry adds values[k] times the x of its column. Which column that is stands in columns[k].",
		},
	},
	{
		ID: "histogram", Title: "Count values in shared memory first", Chapter: 6,
		Devices: gpus, Limit: 5 * time.Second, Check: histogram.Check,
		Hints: []string{
			"Three parts: set the block's counts to 0, count, hand the counts on. There are 20 bins and more threads than that: `if (t < BINS)` is the first and the last part's guard.",
			"In the middle part i runs from `first` to n by `threads`, and in[i] is the place among the counts.",
			"There is a barrier between the first part and the second, and one between the second and the third, both outside of any if or loop.",
			"The last part adds counts[t] to bins[t] with atomicAdd too: the threads of other blocks do the same.",
		},
	},

	// Chapter 7: the product in three versions.
	{
		ID: "fetched-how-often", Title: "Count how often a value is fetched", Chapter: 7,
		Devices: host, Limit: 10 * time.Second, Check: fetchedhowoften.Check,
		Hints: []string{
			"Choose one element of a. Which cells of c need it? And which blocks are those cells in?",
			"In naive, each of the cells' threads loads it. In tiled, one thread of each block does, and the others read what it stored.",
			"A row of a meets all columns of the result: 40 cells, in blocks of 8 across. A column of b meets all rows. A barrier is passed twice for each tile along k.",
		},
	},
	{
		ID: "naive-product", Title: "Compute a product, one thread for each cell", Chapter: 7,
		Devices: gpus, Limit: 5 * time.Second, Check: naiveproduct.Check,
		Hints: []string{
			"Two numbers say which cell is a thread's own: its column runs across the grid, its row down. Which of them do not exist?",
			"Row i of a begins at i · k, and its elements are neighbours. Column j of b begins at j, and its elements are n apart.",
			"Begin a sum at 0, and for each t add a[…] times b[…]. One of the two indices has t as it is, the other one t times the length of a row.",
		},
	},
	{
		ID: "strided-operand", Title: "Read a transposed operand where it lies", Chapter: 7,
		Devices: gpus, Limit: 5 * time.Second, Check: stridedoperand.Check,
		Hints: []string{
			"Where would element [i][t] of a be if a lay row by row? Which two numbers in that place are replaced?",
			"Every step in a matrix is a step of one of its two distances: i steps from row to row, and t steps from column to column.",
			"For b the row is t and the column is j. Nothing of a's or b's place depends on m, k or n any more; that of c still does.",
		},
	},
	{
		ID: "batched-product", Title: "Multiply a whole batch in one launch", Chapter: 7,
		Devices: gpus, Limit: 5 * time.Second, Check: batchedproduct.Check,
		Hints: []string{
			"Which of the operands' elements belong to product z? Find the first one of each.",
			"Move the pointers: a + blockIdx.z · (its distance) is the first element of this block's a. From there on it is one product.",
			"c has no distance of its own: its matrices have m · n elements and no gaps, so the row i of product z is row z · m + i of all.",
		},
	},
	{
		ID: "load-tiles", Title: "Copy a tile of each operand, edges and all", Chapter: 7,
		Devices: gpus, Limit: 5 * time.Second, Check: loadtiles.Check,
		Hints: []string{
			"Begin without edges: which element of a is in row i and column first + x, if a row has k of them?",
			"An element of a exists if its row is below m and its column below k. Which two conditions are that for b?",
			"condition ? value : 0 stores a zero where there is nothing, and does not read there. Each tile needs both of its conditions: a term behind the last one would be an element of the next row.",
		},
	},
	{
		ID: "tiled-product", Title: "Share tiles between the threads of a block", Chapter: 7,
		Devices: gpus, Limit: 5 * time.Second, Check: tiledproduct.Check,
		Hints: []string{
			"Write the loop over the rounds first: first = 0, 8, 16 … as long as it is below k. What belongs into it, and what in front of it and behind?",
			"The sum lives outside of the loop, the two tiles too. A round is: two stores, a barrier, eight products, a barrier.",
			"All 64 threads go through all rounds, also those without a cell: they copy for the others. So the only guard around a whole step is the one at the end, around the store of the sum.",
		},
	},
	{
		ID: "second-barrier", Title: "Find the barrier that is missing", Chapter: 7,
		Devices: gpus, Limit: 5 * time.Second, Check: secondbarrier.Check, Mend: true,
		Hints: []string{
			"Take two threads, one that is fast and one that is slow, and let the fast one begin round 1. What may the slow one still have to do?",
			"A barrier has to stand between the last read of piece in a round and the first store of the next round.",
			"It belongs into the loop, and not into the if: those without a row have to come to it too.",
		},
	},
	{
		ID: "ragged-edge", Title: "Mend a tiled product for every size", Chapter: 7,
		Devices: gpus, Limit: 5 * time.Second, Check: raggededge.Check, Mend: true,
		Hints: []string{
			"Look for every place where a, b or c is read or written. When does what is read there not exist?",
			"An element of a exists if its row is below m and its column below k; of b, if its row is below k and its column below n. A test of the whole place against m · k is not enough: it lets elements of the next row through.",
			"In the two ifs, store condition ? value : 0. Nothing changes about the barriers and the sum. Then put a guard around the last line.",
		},
	},
	{
		ID: "along-memory", Title: "Load a transposed tile along memory", Chapter: 7,
		Devices: gpus, Limit: 5 * time.Second, Check: alongmemory.Check, Mend: true,
		Hints: []string{
			"Neighbouring threads differ in x. In the line that loads b, what is x multiplied with?",
			"Let thread (x, y) load row y of the tile and term x, as it does for a. Which row of b is that in this block? It is not the j of the thread's cell.",
			"If the tile is stored as [row of b][term], the sum reads it as right[x][t], which goes down a column. With TILE + 1 columns each row begins one bank further.",
		},
	},
	{
		ID: "register-blocking", Title: "Compute four cells in each thread", Chapter: 7,
		Devices: gpus, Limit: 5 * time.Second, Check: registerblocking.Check, Mend: true,
		Hints: []string{
			"Which of the three inner loops has to be the outermost, so that a value is used for more than one cell while it is at hand?",
			"Two small arrays of a thread's own, of CELLS values each, are registers: one for the left tile, one for the right.",
			"for t: read l[0], l[1], r[0] and r[1]; then for p and q: sum[p][q] += l[p] * r[q]. Nothing in the two innermost loops touches a tile.",
		},
	},
	{
		ID: "reads-for-a-product", Title: "Count the reads for each product", Chapter: 7,
		Devices: host, Limit: 10 * time.Second, Check: readsforaproduct.Check,
		Hints: []string{
			"Look at one round of the loop over t. How many reads of left and right are in it, and how many multiplications?",
			"P reads of one tile, Q of the other, and every pair of them is a product.",
			"(P + Q) / (P · Q). For the last two: a block has 8 × 8 threads, and the declarations of left and right say how large they are.",
		},
	},
}
