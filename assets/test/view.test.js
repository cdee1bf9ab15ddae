import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Edit } from '../js/model/edit.js';
import { isResult, nothing, readView, sameRan, sameRun } from '../js/model/view.js';

test('a view comes back from JSON as it was sent', () => {
  const view = {
    place: { step: 3, cell: '0,0,1', device: 'emulator', block: '1,0,0', thread: '2,0,0', phase: 'all', view: 'lanes' },
    texts: { source: 'void f();', launch: '{}' },
    ran: { n: 4, texts: { source: 'not C', launch: '{}' }, device: 'emulator', before: { texts: null, device: 'emulator' } },
    running: true, last: 9,
  };
  assert.deepEqual(readView(JSON.parse(JSON.stringify(view))), view);
  assert.deepEqual(readView({ ...view, ran: { n: 1, texts: null, device: 'cpu', before: null } }).ran, { n: 1, texts: null, device: 'cpu', before: null });
});

test('what is no view is the chapter’s, and what is none of its parts is left out', () => {
  for (const raw of [null, undefined, 7, 'x', []]) assert.deepEqual(readView(raw), nothing, String(raw));
  assert.deepEqual(readView({ place: { step: -1, cell: 5, device: null, block: '0,0,0' }, texts: { a: 1, b: 'x' }, ran: { n: 'many' }, running: 'yes', last: 'NaN' }),
    { place: { block: '0,0,0' }, texts: { b: 'x' }, ran: null, running: false, last: 0 });
});

test('the same run is the same count, texts and device', () => {
  const ran = { n: 1, texts: { a: '1' }, device: 'cpu' };
  assert.ok(sameRan(ran, { ...ran, texts: { a: '1' }, before: null }));
  assert.ok(sameRan(null, null));
  for (const other of [null, { ...ran, n: 2 }, { ...ran, device: 'cpu,fused' }, { ...ran, texts: null }, { ...ran, texts: { a: '2' } }, { ...ran, texts: { a: '1', b: '' } }]) {
    assert.equal(sameRan(ran, other), false, JSON.stringify(other));
  }
  assert.ok(sameRun(ran, { ...ran, n: 7 }), 'run again it is the same, and counted as another');
});

test('a compile error is a result that a class sees, a broken connection is none', () => {
  for (const code of ['compile', 'input', 'device', 'fault', 'timeout']) assert.ok(isResult({ code }), code);
  for (const code of ['cancelled', 'offline', 'broken', 'busy', 'follower', undefined]) assert.equal(isResult({ code }), false, code);
});

test('texts that are shown are not stored, and are the chapter’s again', () => {
  const writes = [];
  const storage = { getItem: () => null, setItem: (...all) => writes.push(all), removeItem: (...all) => writes.push(all) };
  const edit = new Edit({ key: 'c/k', original: { source: 'chapter', launch: '{}' }, storage });
  assert.equal(edit.show({ source: 'theirs', other: 'unknown' }), true);
  assert.deepEqual([edit.texts, edit.edited], [{ source: 'theirs', launch: '{}' }, true]);
  assert.equal(edit.show({ source: 'theirs' }), false);
  assert.equal(edit.show(null), true);
  assert.deepEqual([edit.edited, writes], [false, []]);
});
