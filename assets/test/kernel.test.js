import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  byLane, columnsOf, count, diagnostics, elementName, exchangeSentence, exchangeTexts, held, laneState, lineMap, maskText, momentTitle, parseElement, parseTriple,
  records, runsKernels, stretches, threadAt, threadNumber, verdict,
} from '../js/model/kernel.js';

const all = 0xffffffff | 0; // as a signed number, which JavaScript's bits are

test('a mask has 32 lanes, the last of which is a sign bit', () => {
  assert.equal(count(4294967295), 32);
  assert.equal(count(all), 32);
  assert.equal(count(0x80000000), 1);
  const warp = { warp: 1, active: 0x0000000f, live: 0x7fffffff, waiting: 0x40000000, lines: [], place: { line: 3, column: 1 } };
  assert.deepEqual([0, 4, 30, 31].map((lane) => laneState(warp, lane)), ['active', 'idle', 'waiting', 'ended']);
  assert.deepEqual(stretches(warp), [{ state: 'active', count: 4 }, { state: 'idle', count: 26 }, { state: 'waiting', count: 1 }, { state: 'ended', count: 1 }]);
  assert.equal(maskText(warp), 'lanes 0 to 3 active, lanes 4 to 29 not active, lane 30 waiting at the barrier, lane 31 ended');
});

test('threads are counted with x first', () => {
  for (const number of [0, 15, 16, 37, 16 * 8 * 3 - 1]) assert.equal(threadNumber([16, 8, 3], threadAt([16, 8, 3], number)), number);
  assert.deepEqual(threadAt([16, 8, 3], 16 * 8 + 16 + 1), [1, 1, 1]);
  assert.equal(threadNumber([16, 8, 3], [16, 0, 0]), -1);
  assert.deepEqual(parseTriple('1,0,2'), [1, 0, 2]);
  for (const text of [undefined, '', '1,2', '1,2,-3', '1,2,3,4']) assert.equal(parseTriple(text), null);
});

const arrays = [{ name: 'a', elements: 12, shape: [3, 4] }, { name: 'left', elements: 30, shape: [5, 6] }, { name: 'v', elements: 7 }];

test('an element is named as C names it, and read back', () => {
  for (const [array, element, name] of [[0, 0, 'a[0][0]'], [0, 11, 'a[2][3]'], [1, 8, 'left[1][2]'], [2, 6, 'v[6]']]) {
    assert.equal(elementName(arrays[array], element), name);
    assert.deepEqual(parseElement(arrays, name), { array, element });
  }
  assert.deepEqual(parseElement(arrays, ' 1, 2 ', 1), { array: 1, element: 8 });
  assert.deepEqual(parseElement(arrays, '8', 1), { array: 1, element: 8 });
  for (const text of ['left', 'b[1]', 'left[5][0]', 'left[0][6]', 'left[1][2][3]', 'left[30]', 'v[7]', 'left[-1][0]', '', '1,2']) {
    assert.ok(parseElement(arrays, text).problem, text);
  }
});

test('a variable of many parts has a column for each, up to a bound', () => {
  const one = { name: 'i', type: 'int', set: 0b101, values: ['7', '', '9'] };
  const row = (name) => ({ name, type: 'float [2]', set: all, parts: [{ name: '[0]', type: 'float', set: all, values: ['1.5'] }, { name: '[1]', type: 'float', set: all, values: ['2.5'] }] });
  const frame = { function: 'k', lanes: all, place: { line: 1, column: 1 }, vars: [one, { name: 's', type: 'float [2][2]', set: all, parts: [row('[0]'), row('[1]')] }] };
  assert.deepEqual(columnsOf(frame).columns.map(({ name }) => name), ['i', 's[0][0]', 's[0][1]', 's[1][0]', 's[1][1]']);
  assert.equal(columnsOf(frame, 3).more, 2);
  assert.deepEqual([0, 1, 2, 3].map((lane) => held(one, lane)), ['7', '', '9', '']);
  assert.equal(held(row('x').parts[0], 31), '1.5');
});

test('what the lanes of an access want stands at the lanes that take part', () => {
  const access = { kind: 'load', lanes: 0x80000002, elements: [5, 9], values: ['1', '2'] };
  assert.deepEqual([...byLane(access)], [[1, { element: 5, value: '1', after: undefined }], [31, { element: 9, value: '2', after: undefined }]]);
});

test('an exchange says at each lane what it gives, what it gets and whose that is', () => {
  const shuffle = { kind: 'shuffle down', lanes: 0x8000000a, gives: ['1', '2', '3'], from: [3, 4, 31], gets: ['2', '9', '3'] };
  assert.deepEqual([...exchangeTexts(shuffle)], [[1, '1 → 2 (lane 3)'], [3, '2 → 9 (lane 4, which takes no part)'], [31, '3 → 3 (its own)']]);
  const at = { ...shuffle, place: { line: 9, column: 1 } };
  assert.equal(exchangeSentence(at, 3), 'shuffle down on line 9: lane 3 gives 2 and gets 9 of lane 4, which takes no part.');
  assert.equal(exchangeSentence(at, 31), 'shuffle down on line 9: lane 31 gives 3 and gets 3, its own.');
  assert.equal(exchangeSentence(at, 2), exchangeSentence(at, -1));
  assert.equal(exchangeSentence(at, -1), 'shuffle down on line 9: lane 1 gives 1 and gets 2 of lane 3.');
  assert.deepEqual([...exchangeTexts({ kind: 'ballot', lanes: 1, gives: ['true'], gets: ['0x1'] })], [[0, 'true → 0x1']]);
});

test('a line keeps its mark while lines above and below are edited', () => {
  const before = 'a\nb\nc\nd\ne';
  const at = lineMap(before, 'a\nb\nX\nY\nd\ne');
  assert.deepEqual([1, 2, 3, 4, 5].map(at), [1, 2, 0, 5, 6]);
  assert.deepEqual([1, 2, 3, 4, 5].map(lineMap(before, 'a\nb\nd\ne')), [1, 2, 0, 3, 4]);
  assert.deepEqual([1, 5].map(lineMap(before, before)), [1, 5]);
  assert.equal(lineMap('a\na', 'a')(1), 1);
});

test('what a compiler found is at its line and column', () => {
  assert.deepEqual(diagnostics([
    'k.cu does not compile', 'k.cu:3:9: error: no variable is named y', '    3 | \tx[i] = y;', '      | \t       ^', 'k.cu:7: warning: unused: z',
  ]), [
    { line: 3, column: 9, kind: 'fault', message: 'no variable is named y' },
    { line: 7, column: 1, kind: 'warning', message: 'unused: z' },
  ]);
});

test('the emulator records, a GPU runs, a CPU does neither', () => {
  assert.deepEqual(['cpu', 'cpu,fused', 'emulator', 'emulator,fused', 'cuda:0', 'cuda:0,library'].map((spec) => [runsKernels(spec), records(spec)].join()),
    ['false,false', 'false,false', 'true,true', 'true,true', 'true,false', 'false,false']);
});

test('a step says whose it is, and how many lanes take part', () => {
  const tape = { complete: true };
  const moment = { kind: 'statement', warp: 2, place: { line: 9 }, warps: [{ warp: 2, active: 0xff, live: all }] };
  assert.equal(momentTitle(tape, moment), 'Warp 2 begins line 9, 8 of its 32 lanes active.');
  assert.equal(momentTitle({ complete: false, reason: 'it was stopped' }, { ...moment, kind: 'end' }), 'The recording ends here: it was stopped.');
});

test('the verdict is the report’s', () => {
  const report = { passed: true, count: 4, failures: 0, differing: 0, mismatched: 0, reference: 'cpu', groups: [{}] };
  assert.deepEqual(verdict(report), { kind: 'good', text: 'All 4 values are equal in every bit to those of cpu.' });
  assert.equal(verdict({ ...report, differing: 2 }).kind, 'good');
  assert.deepEqual(verdict({ ...report, passed: false, failures: 1, groups: [{ first: { group: 'c', coordinate: [0, 1], reference: 2, candidate: 'NaN' } }] }),
    { kind: 'bad', text: '1 of 4 values are not what cpu computes. The first is c[0, 1]: NaN instead of 2.' });
  assert.equal(verdict(null), null);
});
