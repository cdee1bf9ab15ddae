import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checks, checksOn, fieldText, kindOf, parseLaunch, pretty, problems, readExtents, readNumber, simple, withField } from '../js/model/launch.js';

const launch = {
  source: 'k.cu', kernel: 'k', grid: [2, 2], block: [16, 16],
  args: [{ name: 'a', type: 'f32', shape: [32, 32], fill: 'random', seed: 1 }, { name: 'n', type: 'i32', value: 32 }, 'a', { struct: [] }],
};

test('a launch is read, and written so that it reads back', () => {
  assert.deepEqual(parseLaunch(pretty(launch)), launch);
  for (const text of ['', '[]', '3', 'null', '{"grid":']) assert.equal(parseLaunch(text), null, text);
  assert.ok(simple(launch));
  assert.ok(!simple({ launches: [], buffers: [] }));
  assert.deepEqual(launch.args.map(kindOf), ['buffer', 'scalar', 'other', 'other']);
});

test('what is typed is read, and kept as it is where it cannot be', () => {
  assert.deepEqual(['4', '2×3', ' 2, 3 ,4 ', '2 3', '2 x 3'].map(readExtents), [[4], [2, 3], [2, 3, 4], [2, 3], [2, 3]]);
  for (const text of ['', '2 ×', 'a', '-1', '1.5']) assert.equal(readExtents(text), text);
  assert.deepEqual(['3', '-2.5e3', ' .5 ', 'NaN', '18446744073709551615', '1e', '9007199254740993'].map(readNumber), [3, -2500, 0.5, 'NaN', '18446744073709551615', '1e', '9007199254740993']);
  assert.deepEqual([[2, 2], 7, 'a ×', undefined].map(fieldText), ['2 × 2', '7', 'a ×', '']);
});

test('a field is changed in a copy, an argument is taken away whole', () => {
  assert.deepEqual(withField(launch, ['args', 0, 'shape'], [3]).args[0].shape, [3]);
  assert.deepEqual(withField(launch, ['args', 0], undefined).args.map(kindOf), ['scalar', 'other', 'other']);
  assert.ok(!('grid' in withField(launch, ['grid'], undefined)));
  assert.deepEqual(launch.args[0].shape, [32, 32]);
});

test('a mistake is said at its field', () => {
  assert.deepEqual(problems(launch), {});
  const at = (path, value) => Object.keys(problems(withField(launch, path, value)));
  assert.deepEqual(at(['grid'], []), ['grid']);
  assert.deepEqual(at(['grid'], 'two'), ['grid']);
  assert.deepEqual(at(['block'], [64, 32]), ['block']);
  assert.deepEqual(at(['block'], [0]), ['block']);
  assert.deepEqual(at(['kernel'], ''), ['kernel']);
  assert.deepEqual(at(['shared_bytes'], -1), ['shared_bytes']);
  assert.deepEqual(at(['args', 0, 'shape'], '32 ×'), ['args[0].shape']);
  assert.deepEqual(at(['args', 0, 'seed'], 'x'), ['args[0].seed']);
  assert.deepEqual(at(['args', 1, 'value'], '3 apples'), ['args[1].value']);
  assert.deepEqual(at(['args', 1, 'value'], 1.5), ['args[1].value']);
  assert.deepEqual(at(['args', 1, 'value'], '18446744073709551615'), []);
  assert.deepEqual(at(['args', 1, 'name'], 'a'), ['args[1].name']);
  assert.deepEqual(at(['args', 1, 'name'], '1st'), ['args[1].name']);
});

test('checks are on unless a launch says otherwise', () => {
  const all = checks.map(([name]) => name);
  assert.deepEqual([undefined, true, false, ['race'], { race: false }].map((value) => checksOn(value, all).length), [all.length, all.length, 0, 1, all.length - 1]);
});
