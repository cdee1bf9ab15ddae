import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Live } from '../js/model/live.js';

/** A socket that a test plays the server of. */
class Socket extends EventTarget {
  static all = [];
  constructor(url) {
    super();
    this.url = url;
    this.sent = [];
    Socket.all.push(this);
  }
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.closed = true;
  }
  say(message) {
    this.sayText(JSON.stringify({ v: 1, ...message }));
  }
  sayText(data) {
    this.dispatchEvent(Object.assign(new Event('message'), { data }));
  }
  drop() {
    this.dispatchEvent(new Event('close'));
  }
  get last() {
    return this.sent[this.sent.length - 1];
  }
}

function make({ random = () => 0, ...options } = {}) {
  Socket.all = [];
  const timers = new Map();
  let id = 0;
  const clock = {
    setTimeout: (f, ms) => (timers.set(++id, { f, ms }), id),
    clearTimeout: (timer) => timers.delete(timer),
  };
  const live = new Live({ url: 'ws://here/live', WebSocket: Socket, clock, random, ...options });
  const states = [];
  live.addEventListener('state', (event) => states.push(event.detail.name));
  return {
    live, states, timers,
    get socket() {
      return Socket.all[Socket.all.length - 1];
    },
    /** Runs the only timer and says how long it was. */
    fire() {
      assert.equal(timers.size, 1);
      const [[timer, { f, ms }]] = timers;
      timers.delete(timer);
      f();
      return ms;
    },
    open() {
      live.connect();
      this.socket.say({ type: 'hello', build: 'b1', devices: [{ spec: 'cpu', name: 'CPU', available: true }] });
    },
  };
}

test('a connection that was begun before is taken over with what it has said', async () => {
  const socket = Object.assign(new Socket('ws://here/live'), { readyState: 1, onmessage: () => {} });
  const { live, states } = make({ begun: { socket, heard: ['{"v":1,"type":"hello","build":"b0"}'] } });
  const heard = [];
  live.addEventListener('reload', ({ detail }) => heard.push(detail.chapter));
  live.connect();
  assert.deepEqual([states, live.build, socket.onmessage, Socket.all], [['connecting', 'open'], 'b0', null, []]);
  const asked = live.request('run', {});
  assert.equal(socket.last.type, 'run');
  socket.say({ type: 'reload', chapter: 'c' });
  assert.deepEqual(heard, ['c']);
  socket.drop();
  await assert.rejects(asked, { code: 'broken' });
  assert.equal(live.state.name, 'waiting');
  live.connect();
  assert.equal(Socket.all.length, 1, 'the next connection is a new one');
});

test('a connection that was begun and is over is not taken', () => {
  const socket = Object.assign(new Socket('ws://here/live'), { readyState: 3 });
  const { live } = make({ begun: { socket, heard: ['{"v":1,"type":"hello","build":"b0"}'] } });
  live.connect();
  assert.deepEqual([live.state.name, live.build, Socket.all.length], ['connecting', '', 1]);
});

test('hello opens the connection and brings the devices', () => {
  const t = make();
  t.live.connect();
  assert.deepEqual(t.states, ['connecting']);
  assert.equal(t.live.open, false);
  t.open();
  assert.deepEqual(t.states, ['connecting', 'open']);
  assert.equal(t.live.devices[0].spec, 'cpu');
  assert.equal(t.live.build, 'b1');
  assert.equal(t.timers.size, 0);
});

test('replies find their requests by id, in any order', async () => {
  const t = make();
  t.open();
  const notes = [];
  const run = t.live.request('run', { example: 'product', device: 'cpu', input: { x: -0 } }, { onProgress: (m) => notes.push(m.note) });
  const explain = t.live.request('explain', { run: 'r1', step: 2, cell: [0, 0, 1] });
  const [first, second] = t.socket.sent;
  assert.deepEqual(first, { v: 1, type: 'run', id: first.id, example: 'product', device: 'cpu', input: { x: -0 } });
  assert.notEqual(first.id, second.id);
  t.socket.say({ type: 'cell', id: second.id, step: 2 });
  t.socket.say({ type: 'progress', id: first.id, note: 'half' });
  t.socket.say({ type: 'trace', id: first.id, run: 'r1' });
  t.socket.say({ type: 'trace', id: first.id, run: 'a second reply has nobody waiting' });
  assert.equal((await explain).step, 2);
  assert.equal((await run).run, 'r1');
  assert.deepEqual(notes, ['half']);
  assert.equal(t.live.pending.size, 0);
});

test('an error reply rejects with its field and what to do next', async () => {
  const t = make();
  t.open();
  const run = t.live.request('run', {});
  t.socket.say({ type: 'error', id: t.socket.last.id, code: 'input', field: 'left', message: 'is ragged', next: 'write rows' });
  await assert.rejects(run, { code: 'input', field: 'left', message: 'is ragged', next: 'write rows' });
});

test('stopping tells the server and does not wait for it', async () => {
  const t = make();
  t.open();
  const control = new AbortController();
  const run = t.live.request('run', {}, { signal: control.signal });
  const { id } = t.socket.last;
  control.abort();
  await assert.rejects(run, { code: 'cancelled' });
  assert.deepEqual(t.socket.last, { v: 1, type: 'cancel', id });
  t.socket.say({ type: 'trace', id });
  await assert.rejects(t.live.request('run', {}, { signal: control.signal }), { code: 'cancelled' });
});

test('stopping after the reply says nothing', async () => {
  const t = make();
  t.open();
  const control = new AbortController();
  const run = t.live.request('run', {}, { signal: control.signal });
  t.socket.say({ type: 'trace', id: t.socket.last.id });
  await run;
  control.abort();
  assert.equal(t.socket.sent.length, 1);
});

test('a connection that breaks fails what was asked and opens again, later and later', async () => {
  const t = make({ random: () => 0.5 });
  t.open();
  const run = t.live.request('run', {});
  t.socket.drop();
  await assert.rejects(run, { code: 'broken', message: /broke before the answer/ });
  await assert.rejects(t.live.request('run', {}), { code: 'offline', message: /not connected/ });
  assert.deepEqual(t.states, ['connecting', 'open', 'waiting']);
  const pauses = [];
  for (let i = 0; i < 7; i++) {
    pauses.push(t.fire());
    t.socket.drop();
  }
  assert.deepEqual(pauses, [375, 750, 1500, 3000, 6000, 11250, 11250]);
  t.fire();
  t.socket.say({ type: 'hello' });
  t.socket.drop();
  assert.equal(t.fire(), 375, 'a connection that worked starts the count anew');
});

test('the pause differs between pages', () => {
  const pause = (random) => {
    const t = make({ random: () => random });
    t.live.connect();
    t.socket.drop();
    return t.fire();
  };
  assert.equal(pause(0), 250);
  assert.ok(pause(0.999) > 499);
});

test('a server that never greets is given up', () => {
  const t = make();
  t.live.connect();
  const silent = t.socket;
  assert.equal(t.fire(), 10000);
  assert.ok(silent.closed);
  assert.equal(t.live.state.name, 'waiting');
  t.fire();
  silent.drop();
  assert.equal(t.live.state.name, 'connecting', 'the old socket is nobody’s any more');
});

test('each connection has its epoch, so that an old run is not taken for a new one', () => {
  const t = make();
  t.open();
  assert.equal(t.live.epoch, 1);
  t.socket.drop();
  t.open();
  assert.equal(t.live.epoch, 2);
});

test('what is no message of this protocol is not acted on', () => {
  const t = make();
  t.open();
  const versions = [];
  t.live.addEventListener('version', (event) => versions.push(event.detail.version));
  for (const text of ['', 'not JSON', 'null', '[]', '{"v":2,"type":"hello","build":"b2"}', '{"v":1,"type":"trace","id":"99"}', '{"v":1}']) {
    t.socket.sayText(text);
  }
  assert.equal(t.live.build, 'b1');
  assert.ok(versions.includes(2));
});

test('closed is closed', async () => {
  const t = make();
  t.open();
  const run = t.live.request('run', {});
  t.live.close();
  await assert.rejects(run, { code: 'broken' });
  assert.equal(t.live.state.name, 'closed');
  assert.equal(t.timers.size, 0);
});

test('versions of the exercises are kept for who listens later', () => {
  const t = make();
  t.open();
  assert.equal(t.live.exercises, null);
  const heard = [];
  t.live.addEventListener('exercises', () => heard.push(t.live.exercises['']));
  t.socket.say({ type: 'exercises', versions: { '': 'a', 6: 'b' } });
  assert.deepEqual([t.live.exercises, heard], [{ '': 'a', 6: 'b' }, ['a']]);
});

test('news of a room are told, and an answer to what was asked of it is its answer', async () => {
  const t = make();
  t.open();
  const news = [];
  t.live.addEventListener('room', (event) => news.push(event.detail.room));
  const drive = t.live.request('room', { room: { do: 'drive', lease: 3 } });
  assert.deepEqual(t.socket.last, { v: 1, type: 'room', id: t.socket.last.id, room: { do: 'drive', lease: 3 } });
  t.socket.say({ type: 'room', room: { kind: 'state', seq: 11 } });
  t.socket.say({ type: 'room', id: t.socket.last.id, room: { seq: 12 } });
  assert.equal((await drive).room.seq, 12);
  const refused = t.live.request('room', { room: { do: 'drive', lease: 3 } });
  t.socket.say({ type: 'error', id: t.socket.last.id, code: 'lease', message: 'another presenter drives' });
  await assert.rejects(refused, { code: 'lease' });
  assert.deepEqual(news, [{ kind: 'state', seq: 11 }]);
});

test('a replay asks as of its moment, or as of when a run was shown', () => {
  const t = make();
  t.open();
  t.live.request('run', {}, { at: 5 });
  assert.equal(t.socket.last.at, undefined, 'no other page does');
  t.live.moment = () => 70;
  for (const [at, want] of [[undefined, 70], [5, 5], [0, 0]]) {
    t.live.request('run', {}, { at });
    assert.equal(t.socket.last.at, want);
  }
});

test('a fresh answer is asked for only where there are kept ones', () => {
  for (const [fresh, asked, want] of [[false, true, undefined], [true, undefined, undefined], [true, false, undefined], [true, true, true]]) {
    const t = make({ fresh });
    t.open();
    t.live.request('run', { device: 'cpu' }, { fresh: asked });
    assert.equal(t.socket.last.fresh, want);
  }
});

test('a room is back sooner, and a page that is seen again at once', () => {
  const t = make({ longestPause: 4000, random: () => 0.999 });
  t.live.connect();
  const pauses = [];
  for (let i = 0; i < 5; i++) {
    t.socket.drop();
    pauses.push(t.fire());
  }
  assert.deepEqual(pauses.map((ms) => Math.round(ms / 10) * 10), [500, 1000, 2000, 4000, 4000]);
  t.socket.drop();
  t.live.wake();
  t.live.wake();
  assert.ok(t.fire() <= 250);
  assert.equal(t.live.state.name, 'connecting');
  t.live.wake();
  t.socket.say({ type: 'hello' });
  t.live.wake();
  assert.deepEqual([t.live.state.name, t.timers.size], ['open', 0]);
});
