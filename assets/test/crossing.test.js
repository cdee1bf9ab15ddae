import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteRows, columns, counterText, counters, crossingAt, memories, requests, stages, timeParts } from '../js/model/crossing.js';
import { Trace } from '../js/model/trace.js';

const none = { requests: 0, launches: 0, bytes_in: 0, bytes_out: 0, copy_in_ns: 0, kernel_ns: 0, copy_out_ns: 0 };

/** A run of two requests, whose counters are wrong on purpose: no sum is right. */
const trace = new Trace({
  version: 1, example: 'boundary', device: 'cuda:0', contract: 'separate', precision: 'float64', result: [4, 5], stats: none,
  tensors: [
    { name: 'A', shape: [1], values: [1] }, { name: 'B', shape: [1], values: [2] },
    { name: 'packed A', shape: [2], values: [1, 'NaN'], bytes: ['0000803f', '0000c07f'] }, { name: 'packed B', shape: [1], values: [2] },
    { name: 'C', shape: [1], values: [3] }, { name: 'sums', shape: [1], values: [4] },
  ],
  steps: [
    { op: 'given', outputs: [0], inputs: [] },
    { op: 'given', outputs: [1], inputs: [] },
    step('pack', 0, [0, 1, 2, 3], [], none, none),
    step('copy-in', 0, [0, 1, 2, 3], [2, 3], { ...none, bytes_in: 7, copy_in_ns: 4100 }, { ...none, bytes_in: 11 }),
    step('copy-out', 0, [0, 1, 4], [2, 3, 4], { ...none, requests: 1, bytes_in: 7, bytes_out: 9 }, { ...none, bytes_in: 13, bytes_out: 9 }),
    step('copy-out', 1, [0, 5], [], none, { ...none, bytes_in: 4711 }),
    { op: 'result', outputs: [4, 5], inputs: [] },
  ],
});

function step(stage, request, host, device, counted, total) {
  return { op: stage, inputs: [], outputs: [], crossing: { request, name: request ? 'sums' : 'A·B', stage, crosses: true, host, device, packed: 7, result: 0, counted, total } };
}

test('requests know the step of each of their stages', () => {
  const [first, second] = requests(trace);
  assert.deepEqual([first.name, first.first, [...first.steps]], ['A·B', 2, [['pack', 2], ['copy-in', 3], ['copy-out', 4]]]);
  assert.deepEqual([second.name, second.first, second.steps.get('pack')], ['sums', 5, undefined]);
  assert.equal(stages.length, 5);
});

test('what lies in a memory is what the step says', () => {
  assert.deepEqual(memories(trace, 0), { host: [0], device: [] });
  assert.deepEqual(memories(trace, 1), { host: [0, 1], device: [] });
  assert.deepEqual(memories(trace, 3), { host: [0, 1, 2, 3], device: [2, 3] });
  assert.deepEqual(memories(trace, 5), { host: [0, 5], device: [] });
  assert.deepEqual(memories(trace, 6), { host: [4, 5], device: [] });
});

test('counters are the run’s own, and never added up', () => {
  assert.equal(crossingAt(trace, 1), null);
  assert.deepEqual(counters(trace, 1), { rows: [
    { name: 'A·B', number: 0, first: 2, counted: null }, { name: 'sums', number: 1, first: 5, counted: null },
  ], total: null });
  const at = counters(trace, 3);
  assert.equal(at.rows[0].counted.bytes_in, 7);
  assert.equal(at.rows[1].counted, null);
  assert.equal(at.total.bytes_in, 11);
  assert.equal(counters(trace, 6).total.bytes_in, 4711);
  assert.equal(counters(trace, 6).rows[0].counted.bytes_out, 9);
});

test('a counter at zero is a zero, a time that was not taken a dash', () => {
  const texts = (stats) => columns.map((column) => counterText(stats, column));
  assert.deepEqual(texts(null), ['·', '·', '·', '·', '·', '·', '·']);
  assert.deepEqual(texts(none), ['0', '0', '0', '0', '–', '–', '–']);
  assert.deepEqual(texts({ requests: 3, launches: 3, bytes_in: 240, bytes_out: 64, copy_in_ns: 4100, kernel_ns: 999, copy_out_ns: 5e6 }), ['3', '3', '240', '64', '4.1 µs', '999 ns', '5.0 ms']);
  assert.deepEqual(texts({ requests: 1 }), ['1', '0', '0', '0', '–', '–', '–']); // an older server sends no times
});

test('a bar has the parts that were timed, side by side', () => {
  assert.deepEqual(timeParts(none), []);
  assert.deepEqual(timeParts(null), []);
  assert.deepEqual(timeParts({ ...none, copy_in_ns: 3000, copy_out_ns: 1000 }), [
    { name: 'copy in', text: '3.0 µs', from: 0, width: 75 }, { name: 'copy out', text: '1.0 µs', from: 75, width: 25 },
  ]);
});

test('bytes stand at their addresses', () => {
  assert.deepEqual(byteRows(trace.tensor(2)), [
    { at: 0, value: 1, bytes: '00 00 80 3f' }, { at: 4, value: 'NaN', bytes: '00 00 c0 7f' },
  ]);
  assert.deepEqual(byteRows(trace.tensor(3)), []);
});
