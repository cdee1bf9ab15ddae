import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Block, Layout, byBank, compareLoads, launchText, levels, parseIndex, regions, spreadText, threadsText, within } from '../js/model/tiles.js';

const tape = {
  kernel: 'k', block: [1, 0, 0], grid: [2, 1, 1], block_dim: [2, 2, 1], warps: 1, steps: 9, phases: 3,
  arrays: [
    { name: 'a', space: 'global', element: 'float', elements: 12, shape: [3, 4] },
    { name: 'unused', space: 'global', element: 'float', elements: 1 },
    { name: 's', space: 'shared', element: 'float', elements: 4, shape: [2, 2] },
  ],
};
const request = (more) => ({ place: { line: 7, column: 3 }, kind: 'load', array: 2, requests: 2, turns: 3, conflicts: 1, step: 4, most: 2, ...more });
const touched = {
  from: 0, to: 9,
  phases: [
    {
      phase: 0, requests: [],
      arrays: [
        { array: 0, load_threads: [0, 0, 1, 3], load_elements: [4, 5, 5, 11], load_counts: [1, 2, 1, 1], store_threads: [], store_elements: [], store_counts: [] },
        { array: 2, load_threads: [], load_elements: [], load_counts: [], store_threads: [0, 3], store_elements: [0, 3], store_counts: [1, 1] },
      ],
    },
    {
      phase: 2, requests: [request(), request({ place: { line: 6, column: 1 } })],
      arrays: [{ array: 0, load_threads: [0], load_elements: [5], load_counts: [4], store_threads: [2], store_elements: [5], store_counts: [1] }],
    },
  ],
  ends: [{ phase: 0, step: 3 }, { phase: 1, step: 5 }, { phase: 2, step: 8 }],
  uses: [{ array: 0, elements: [4, 5, 11], loads: [1, 7, 1], fetches: [1, 3, 1], stores: [0, 1, 0] }, { array: 2, elements: [0, 3], loads: [0, 0], fetches: [0, 0], stores: [1, 1] }],
};

test('a block tells who touched what, by phase and in all', () => {
  const block = new Block(tape, touched);
  assert.deepEqual(block.arrays.map(({ name }) => name), ['a', 's'], 'what nobody touched is not shown');
  assert.deepEqual([...block.block(0, 0).loads], [[4, 1], [5, 3], [11, 1]]);
  assert.deepEqual([...block.block(0, null).loads], [[4, 1], [5, 7], [11, 1]]);
  assert.deepEqual([...block.block(0, 1).loads], [], 'a phase without accesses');
  assert.deepEqual([...block.thread(0, 0, 0).loads], [[4, 1], [5, 2]]);
  assert.deepEqual([...block.thread(0, null, 0).loads], [[4, 1], [5, 6]]);
  assert.deepEqual([...block.thread(0, null, 2).stores], [[5, 1]]);
  assert.deepEqual(block.users(0, null, 5), [{ thread: 0, loads: 6, stores: 0 }, { thread: 1, loads: 1, stores: 0 }, { thread: 2, loads: 0, stores: 1 }]);
  assert.deepEqual([...block.loads(0)], [[4, 1], [5, 7], [11, 1]]);
  assert.equal(block.phase(7), 2, 'a shorter kernel stays at its last phase');
  assert.equal(block.phase(null), null);
  assert.deepEqual([block.end(0), block.end(1), block.end(null)], [3, 5, 8]);
});

test('requests to shared memory are summed over phases, and keep the worst', () => {
  const block = new Block(tape, { ...touched, phases: [...touched.phases, { phase: 1, arrays: [], requests: [request({ most: 5, step: 6, turns: 9 })] }] });
  assert.equal(block.requests(0).length, 0);
  const [first, second] = block.requests(null);
  assert.equal(first.place.line, 6);
  assert.deepEqual([second.requests, second.turns, second.conflicts, second.most, second.step], [4, 12, 2, 5, 6]);
});

test('elements are named by rectangles', () => {
  const matrix = new Layout({ elements: 1024, shape: [32, 32] });
  const of = (rows, columns) => rows.flatMap((r) => columns.map((c) => 32 * r + c));
  const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  assert.equal(regions(of(range(16, 31), range(0, 15)), matrix), '[16–31, 0–15]');
  assert.equal(regions(of([2], range(0, 31)), matrix), '[2, 0–31]');
  assert.equal(regions(of(range(0, 31), [3]), matrix), '[0–31, 3]');
  assert.equal(regions([33], matrix), '[1, 1]');
  assert.equal(regions([], matrix), '');
  assert.equal(regions([0, 2, 64], matrix), '[0, 0], [0, 2] and [2, 0]');
  assert.equal(regions(of(range(0, 3), [0, 2, 4, 6]), matrix, 2), '[0–3, 0], [0–3, 2] and 8 more');
  assert.equal(regions(range(3, 9), new Layout({ elements: 64 })), '[3–9]');
  const cube = new Layout({ elements: 24, shape: [2, 3, 4] });
  assert.equal(regions([12, 13], cube), '[1, 0, 0–1]');
});

test('counts in words', () => {
  assert.equal(spreadText(new Map()), '–');
  assert.equal(spreadText(new Map([[1, 1]])), '1 element, once');
  assert.equal(spreadText(new Map([[1, 16], [2, 16]])), '2 elements, each 16 times');
  assert.equal(spreadText(new Map([[1, 1], [2, 3]])), '2 elements, 1 to 3 times');
  assert.equal(launchText({ loaded: 4, loads: 8, most: 2, loads_per_element: 2 }), '4 elements, each twice');
  assert.equal(launchText({ loaded: 4, loads: 6, most: 3, loads_per_element: 1.5 }), '4 elements, 1.5 times on average, 3 times at most');
  assert.equal(threadsText([0, 1, 2, 5].map((thread) => ({ thread, loads: 1, stores: 0 })), String), '0 to 2 and 5');
});

test('kernels are compared where they load the same', () => {
  const one = new Block(tape, touched);
  const less = (loads) => new Block(tape, { ...touched, uses: [{ ...touched.uses[0], loads }] });
  assert.equal(compareLoads(one, less([2, 14, 2]))[0].ratio, 0.5);
  assert.equal(compareLoads(one, less([2, 14, 1]))[0].ratio, null, 'not every value by the same');
  assert.equal(compareLoads(one, less([1, 7, 0]))[0].ratio, null, 'not the same values');
});

test('classes of how often are few and hold every count', () => {
  assert.deepEqual(levels([16, 1, 16]), [{ from: 1, to: 1 }, { from: 16, to: 16 }]);
  assert.deepEqual(levels([]), []);
  for (const most of [6, 7, 32, 33, 243, 1024, 100000]) {
    const counts = [1, 2, 3, 4, 5, most];
    const classes = levels(counts);
    assert.ok(classes.length <= 5, `${most}: ${classes.length}`);
    for (const n of counts) assert.equal(classes.filter(({ from, to }) => n >= from && n <= to).length, 1, `${n} of ${most}`);
  }
});

test('indices of an address', () => {
  assert.deepEqual(parseIndex('1,0,0'), [1, 0, 0]);
  assert.deepEqual(parseIndex('3,2'), [3, 2, 0]);
  for (const text of [undefined, '', 'a', '1,-1', '1,2,3,4', '1.5']) assert.equal(parseIndex(text), null);
  assert.deepEqual(within([9, 0, 3], [2, 2, 1]), [1, 0, 0]);
});

test('an access by banks', () => {
  assert.deepEqual(byBank({ lanes: 0b10000000000000000000000000000111, banks: [0, 0, 3, 0], elements: [0, 32, 3, 0], values: [] }), [
    { bank: 0, words: [{ element: 0, lanes: [0, 31] }, { element: 32, lanes: [1] }] }, { bank: 3, words: [{ element: 3, lanes: [2] }] },
  ]);
});
