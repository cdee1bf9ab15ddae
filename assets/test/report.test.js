import assert from 'node:assert/strict';
import { test } from 'node:test';
import { criterion, entryName, makerText, Report } from '../js/model/report.js';

const entry = (group, coordinate, reference, candidate, more = {}) => ({
  group, coordinate, flat: 0, reference, candidate, absolute: 0, relative: 0, ulp: '0',
  reference_bits: '0000000000000000', candidate_bits: '0000000000000000', allowed: 1e-10, pass: true, ...more,
});
const other = { candidate_bits: '0000000000000001' };

function make() {
  const entries = [
    entry('logits', [0, 0, 0], 1, 1),
    entry('logits', [0, 0, 1], 2, 2.5, { absolute: 0.5, relative: 0.25, ulp: '1125899906842624', pass: false, ...other }),
    entry('logits', [0, 1, 0], 1e6, 1e6, { absolute: 1e-12, relative: 1e-18, ulp: '9007199254740993', ...other }),
    entry('logits', [0, 1, 1], 'NaN', 1, { absolute: 'NaN', relative: 'NaN', ulp: '', pass: false, ...other }),
    entry('loss', [], 5.5, 'Infinity', { absolute: 'Infinity', relative: 'Infinity', ulp: '9007199254740992', pass: false, ...other }),
    entry('blocks.0.gain', [3], -0, 0, { ulp: '1', ...other }),
  ];
  const group = (name, shape, more = {}) => ({ name, shape, passed: true, count: 1, failures: 0, differing: 0, ...more });
  return new Report({
    version: 1, reference: 'cpu', candidate: 'cpu,fused', tolerance: { absolute: 1e-10, relative: 1e-10, source: 'float64' },
    passed: false, count: 6, failures: 3, differing: 5, mismatched: 1, entries,
    groups: [group('logits', [1, 2, 2]), group('sums', [2], { count: 0, reason: 'shape [2] is not [3], as "asked"', passed: false }), group('loss', []), group('blocks.0.gain', [4])],
  });
}

const names = (report) => report.rows().map((i) => entryName(report.raw.entries[i]));

test('sorting puts what cannot be compared first among the worst', () => {
  const report = make();
  report.choose({ sort: 'absolute' });
  assert.deepEqual(names(report).slice(0, 4), ['logits[0,1,1]', 'loss', 'logits[0,0,1]', 'logits[0,1,0]']);
  assert.deepEqual(names(report).slice(4), ['logits[0,0,0]', 'blocks.0.gain[3]'], 'equal errors stay in order');
  report.choose({ descending: false });
  assert.equal(names(report)[5], 'logits[0,1,1]');
  report.choose({ sort: 'ulp', descending: true });
  assert.deepEqual(names(report).slice(0, 3), ['logits[0,1,1]', 'logits[0,1,0]', 'loss'], 'distances past 2^53 are compared exactly');
  report.choose({ sort: 'order' });
  assert.equal(names(report)[0], 'logits[0,0,0]');
});

test('the criterion is said as the report has it', () => {
  assert.equal(criterion({ absolute: 1e-10, relative: 0.5, source: '' }), 'Two values agree when |u − c| ≤ 1e-10 + 0.5·|c|');
  assert.equal(criterion({ bits: true, absolute: 0, relative: 0, source: '' }), 'Two values agree when they are equal in every bit');
});

test('a side is named with its hardware, its contract and who multiplied', () => {
  assert.equal(makerText('cpu', { contract: 'separate' }), 'cpu (separate)');
  assert.equal(makerText('cuda:0,library', { name: 'NVIDIA H200', contract: 'fused', library: true }), 'cuda:0,library, NVIDIA H200 (fused, by a library)');
  assert.equal(makerText('cpu'), 'cpu', 'a report that does not say it');
});

test('filters take the report’s verdict and the bits', () => {
  const report = make();
  report.choose({ filter: 'failures' });
  assert.deepEqual(names(report), ['logits[0,0,1]', 'logits[0,1,1]', 'loss']);
  report.choose({ filter: 'differing', group: 'logits' });
  assert.deepEqual(names(report), ['logits[0,0,1]', 'logits[0,1,0]', 'logits[0,1,1]']);
  report.choose({ filter: 'all', group: 'blocks.0.gain' });
  assert.deepEqual(names(report), ['blocks.0.gain[3]']);
});

test('a doctored verdict is shown as it came', () => {
  const report = make();
  report.raw.entries[0].pass = false;
  report.choose({ filter: 'failures' });
  assert.ok(names(report).includes('logits[0,0,0]'));
});

test('a value is found by its coordinate', () => {
  const report = make();
  const at = (text) => report.find(text).index;
  assert.equal(at('logits[0,1,0]'), 2);
  assert.equal(at('logits[1,0]'), 2, 'leading axes of length 1 may be left out');
  assert.equal(at(' logits [ 1 0 ] '), 2);
  assert.equal(at('loss'), 4);
  assert.equal(at('gain[3]'), 5, 'a part of a name is enough where one tensor has it');
  assert.equal(at('logits'), 0);
  const error = (text) => report.find(text).error;
  assert.match(error('logits[1,9]'), /index 9 is outside logits: axis 2 has length 2/);
  assert.match(error('logits[1]'), /shape \[1, 2, 2\]: write 3 indices/);
  assert.match(error('logits[0,0,0,0]'), /write 3 indices/);
  assert.match(error('nothing[0]'), /there is no “nothing”: the tensors are logits/);
  assert.match(error('lo'), /could be logits, loss/);
  assert.match(error('logits[x]'), /cannot be read/);
  assert.match(error(' '), /^Write a name and a coordinate/);
  assert.match(error('sums[0]'), /has no value sums\[0\]/);
});

test('CSV is what the server writes', () => {
  const lines = make().wholeCSV().split('\n');
  assert.equal(lines[0], 'group,coordinate,flat,reference,candidate,absolute,relative,ulp,reference_bits,candidate_bits,allowed,pass,reason');
  assert.equal(lines[3], 'logits,"[0, 1, 0]",0,1e+06,1e+06,1e-12,1e-18,9007199254740993,0000000000000000,0000000000000001,1e-10,true,');
  assert.equal(lines[4], 'logits,"[0, 1, 1]",0,NaN,1,NaN,NaN,,0000000000000000,0000000000000001,1e-10,false,');
  assert.equal(lines[5], 'sums,,,,,,,,,,,false,"shape [2] is not [3], as ""asked"""');
  assert.equal(lines[6], 'loss,[],0,5.5,Infinity,Infinity,Infinity,9007199254740992,0000000000000000,0000000000000001,1e-10,false,');
  assert.equal(lines[7].split(',')[3], '-0');
  assert.equal(lines.length, 9);
});

test('CSV of what is shown follows sort and filter', () => {
  const report = make();
  report.choose({ filter: 'failures', sort: 'absolute' });
  assert.equal(report.shownCSV().split('\n').length, 5);
});

test('JSON spells numbers as the server does and reads back the same', () => {
  const report = make();
  const text = report.json();
  assert.ok(text.includes('"reference":1e+06'));
  assert.ok(text.includes('"reference":-0'));
  assert.deepEqual(JSON.parse(text), report.raw);
});

test('what is no report of this version is refused with a sentence', () => {
  assert.throws(() => new Report(null), /not a comparison: reload/);
  assert.throws(() => new Report({ version: 2, groups: [], entries: [] }), /version 1 and got version 2/);
});
