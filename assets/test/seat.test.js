import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chapterOf, readRoom, watches } from '../js/model/seat.js';

const meta = { content: 'K7WQ2M', as: 'follow', live: '/rooms/K7WQ2M/live?as=follow&chapter=tiles', base: '/rooms/K7WQ2M/chapters/' };

test('a page of a room says what it is, any other is of none', () => {
  assert.equal(readRoom(null), null);
  assert.deepEqual(readRoom(meta), { code: 'K7WQ2M', as: 'follow', live: meta.live, base: meta.base, events: '' });
  assert.equal(readRoom({ ...meta, as: 'replay', events: '/replays/1/events.json' })?.events, '/replays/1/events.json');
  assert.equal(readRoom({ ...meta, as: 'conductor' })?.as, 'follow', 'what is not known may do the least');
});

test('who only watches runs nothing', () => {
  const runs = { follow: true, preview: true, replay: true, stage: false, desk: false };
  for (const [as, only] of Object.entries(runs)) assert.equal(watches(readRoom({ ...meta, as })), only, as);
  assert.equal(watches(null), false);
});

test('the chapter is in the address, wherever in a room it is', () => {
  const room = readRoom(meta);
  assert.equal(chapterOf('/chapters/01-one-product', null), '01-one-product');
  assert.equal(chapterOf('/rooms/K7WQ2M/chapters/01-one-product', room), '01-one-product');
  assert.equal(chapterOf('/rooms/K7WQ2M/stage/01-one-product', room), '01-one-product');
  assert.equal(chapterOf('/rooms/K7WQ2M/preview/01-one-product', room), '01-one-product');
  assert.equal(chapterOf('/replays/7/chapters/%C3%BCbung', room), 'übung');
  assert.equal(chapterOf('/rooms/K7WQ2M/desk', room), '');
  assert.equal(chapterOf('/stage/x', null), '');
});
