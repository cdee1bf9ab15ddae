import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Trace, coordinate, flatIndex, flatOf, legend, pile, placeOf, sectionTitle } from '../js/model/trace.js';

const step = (op, outputs, more = {}) => ({ phase: 'forward', op, title: op, device: 'cpu', inputs: [], outputs, ...more });

function raw(steps) {
  return { version: 1, example: 'product', device: 'cpu', contract: 'separate', precision: 'float64', tensors: [], steps, result: [], stats: {} };
}

test('an element has its step, and a step its element', () => {
  const trace = new Trace(raw([
    step('given', [0]), step('given', [1]), step('matmul', [2]),
    step('cell', [2], { cell: { flat: 0 } }), step('cell', [2], { cell: { flat: 1 } }),
    step('sum', [3]), step('group', [3]), step('group', [3]), step('mean', [4]), step('group', [4]),
    step('result', [2, 3, 4]),
  ]));
  assert.equal(trace.elementOf(4), 1);
  assert.equal(trace.elementOf(7), 1, 'steps that say no coordinate are counted');
  assert.equal(trace.elementOf(9), 0, 'and counted anew for another tensor');
  assert.equal(trace.elementOf(2), null);
  assert.equal(trace.stepOf(2, 1), 4);
  assert.equal(trace.stepOf(3, 1), 7);
  assert.equal(trace.stepOf(2, 9), null);
  assert.equal(trace.whole(4), 2);
  assert.equal(trace.whole(9), 8);
  assert.equal(trace.whole(10), 10);
  assert.ok(trace.madeBy(2, 2) && !trace.madeBy(2, 1) && !trace.madeBy(9, 10));
});

test('sections follow the run', () => {
  const trace = new Trace(raw([
    step('a', [], { section: 'embedding' }), step('b', [], { section: 'embedding' }),
    step('c', [], { section: 'loss', phase: 'loss' }), step('d', [], { section: 'embedding', phase: 'backward' }), step('e', []),
  ]));
  assert.deepEqual(trace.sections().map((s) => [s.phase, s.section, s.first, s.count]), [
    ['forward', 'embedding', 0, 2], ['loss', 'loss', 2, 1], ['backward', 'embedding', 3, 1], ['forward', '', 4, 1],
  ]);
  assert.equal(sectionTitle('blocks.1.ffn'), 'block 1 feed-forward');
  assert.equal(sectionTitle('blocks.0.attention'), 'block 0 attention');
  assert.equal(sectionTitle('final_norm'), 'final norm');
  assert.equal(sectionTitle('head'), 'head');
});

test('what is no trace of this version is refused with a sentence', () => {
  assert.throws(() => new Trace(null), /not a trace: reload/);
  assert.throws(() => new Trace({}), /not a trace/);
  assert.throws(() => new Trace({ ...raw([]), version: 2 }), /version 1 and got version 2/);
});

test('a tensor of any rank is a pile of matrices', () => {
  for (const [shape, want] of [
    [[], [1, 1, 1]], [[4], [1, 1, 4]], [[2, 3], [1, 2, 3]], [[2, 3, 4], [2, 3, 4]], [[2, 2, 3, 4], [4, 3, 4]], [[0, 3], [1, 0, 3]],
  ]) {
    const { slices, rows, columns } = pile(shape);
    assert.deepEqual([slices, rows, columns], want);
    const count = slices * rows * columns;
    for (let flat = 0; flat < count; flat++) {
      assert.equal(flatIndex(shape, ...placeOf(shape, flat)), flat);
    }
  }
  assert.equal(flatOf([2, 3], [0, 1, 2]), 5);
  for (const place of [null, [1, 0, 0], [0, 2, 0], [0, 0, 3]]) assert.equal(flatOf([2, 3], place), null);
  assert.deepEqual(coordinate([2, 3, 4], 17), [1, 1, 1]);
  assert.deepEqual(coordinate([], 0), []);
});

test('the letters of a formula are named after the tensors they stand for', () => {
  const step = (op, formula, inputs, outputs) => ({ phase: 'forward', op, title: '', formula, device: 'host', inputs, outputs });
  const steps = [
    step('scale', 'y = c\\,x', [0], [1]), step('matmul', 'Y = A\\,B^{\\mathsf T}', [0, 1], [2]), step('sum', 's_g = \\sum_k x_{g,k}', [2], [1]),
    step('div', '\\bar b = -\\bar y\\,\\frac{y}{b}', [0, 1, 2], [0]), step('matmul', 'C_{i,j} = \\sum_{k=0}^{1} A_{i,k}\\,B_{k,j}', [0, 1], [2]),
    step('pass', undefined, [0], [1]),
  ];
  const tensors = ['log', '−½·log', 'scores'].map((name) => ({ name, shape: [1], values: [0] }));
  const trace = new Trace({ version: 1, example: 'decoder', device: 'cpu', contract: 'separate', precision: 'float64', tensors, steps, result: [], stats: {} });
  assert.deepEqual(steps.map((one) => legend(trace, one)), [
    'Here x is log; y is −½·log.', 'Here A is log; B is −½·log; Y is scores.', 'Here x is scores, one row for each group g; s is −½·log.',
    '', '', '',
  ]);
});
