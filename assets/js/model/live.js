/**
 * The connection to the workbench: one WebSocket for all widgets of a page.
 * Every request has an id, every reply carries it. A connection that breaks is
 * opened again after a growing, random pause, so that a class does not come back
 * all at once; what was asked meanwhile fails with a sentence, never silently.
 *
 * Messages, client to server: run, explain, compare, ladder, cancel, devices, room. Server to
 * client: hello, progress, trace, cell, report, ladder, devices, error, reload, exercises,
 * room. Each is a JSON object with v (1) and type.
 * @module
 */
import { encode } from './number.js';

export const protocolVersion = 1;

/** Milliseconds of the first pause, of the longest, and for a server's greeting. */
const firstPause = 500;
const usualLongestPause = 15000;
const greetingLimit = 10000;

/** The state of a socket from which on it says nothing more. */
const closing = 2;

/** Milliseconds within which a page connects that comes back: a class must not come all at once. */
const wakingTime = 250;

/**
 * A request that failed. Code is the server's ("input", "device", "fault",
 * "timeout", "memory", "compile", "unknown-run", "busy", "cancelled",
 * "too-large", "protocol", "internal") or "offline"; "broken" where the
 * connection ended before the answer came.
 */
export class LiveError extends Error {
  /** @param {{code: string, message: string, field?: string, next?: string, detail?: {title: string, lines: string[]}}} fault */
  constructor({ code, message, field, next, detail }) {
    super(message);
    this.name = 'LiveError';
    this.code = code;
    this.field = field ?? '';
    this.next = next ?? '';
    /** What only some readers want to see, or null. */
    this.detail = detail ?? null;
  }
}

/**
 * @typedef {{name: 'connecting' | 'open' | 'waiting' | 'closed', retryIn?: number, reason?: string}} LiveState
 * @typedef {{spec: string, name: string, available: boolean, reason?: string, next?: string, tried?: string[]}} DeviceInfo
 */

export class Live extends EventTarget {
  /**
   * @param {object} options
   * @param {string} options.url ws:// or wss://
   * @param {new (url: string) => WebSocket} [options.WebSocket]
   * @param {any} [options.clock] with setTimeout and clearTimeout
   * @param {() => number} [options.random] in [0, 1)
   * @param {number} [options.longestPause] milliseconds
   * @param {boolean} [options.fresh] whether a request may want an answer that nobody has had yet
   * @param {{socket: WebSocket, heard: string[]} | null} [options.begun] a connection that there is already, with what
   *   it has said; its socket's onmessage ends
   */
  constructor({ url, WebSocket = globalThis.WebSocket, clock = globalThis, random = Math.random, longestPause = usualLongestPause, fresh = false, begun = null }) {
    super();
    this.url = url;
    this.begun = begun;
    this.longestPause = longestPause;
    this.fresh = fresh;
    /** In a replay, the moment of the lesson that the page shows. @type {(() => number) | null} */
    this.moment = null;
    this.WebSocket = WebSocket;
    this.clock = clock;
    this.random = random;
    /** @type {LiveState} */
    this.state = { name: 'closed' };
    /** Counts connections: what the server knows of one is gone in the next. */
    this.epoch = 0;
    /** @type {DeviceInfo[]} */
    this.devices = [];
    this.build = '';
    /** Versions of what pages show of the exercises; null where there are none. @type {Record<string, string> | null} */
    this.exercises = null;
    this.lastId = 0;
    this.failures = 0;
    /** @type {Map<string, {resolve: (m: any) => void, reject: (e: LiveError) => void, onProgress?: (m: any) => void}>} */
    this.pending = new Map();
  }

  get open() {
    return this.state.name === 'open';
  }

  /** Opens the connection, at once if it was waiting to. */
  connect() {
    if (this.state.name === 'open' || this.state.name === 'connecting') return;
    this.clock.clearTimeout(this.timer);
    this.setState({ name: 'connecting' });
    const begun = this.begun && this.begun.socket.readyState < closing ? this.begun : null;
    this.begun = null;
    let socket;
    try {
      socket = begun?.socket ?? new this.WebSocket(this.url);
    } catch (error) {
      this.lost(String(error));
      return;
    }
    this.socket = socket;
    const ours = (handle) => (event) => {
      if (this.socket === socket) handle(event);
    };
    this.timer = this.clock.setTimeout(() => {
      socket.close();
      this.lost('the workbench did not answer');
    }, greetingLimit);
    socket.addEventListener('message', ours((event) => this.receive(event.data)));
    socket.addEventListener('close', ours(() => this.lost('the connection was closed')));
    if (!begun) return;
    socket.onmessage = null;
    for (const text of begun.heard) this.receive(text);
  }

  /** Cuts a pause short: the page is seen again, or has a network again. */
  wake() {
    if (this.state.name !== 'waiting') return;
    this.clock.clearTimeout(this.timer);
    this.timer = this.clock.setTimeout(() => this.connect(), Math.round(this.random() * wakingTime));
  }

  /** Closes the connection and stays closed. */
  close() {
    this.clock.clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = undefined;
    socket?.close();
    this.failAll('the connection was closed');
    this.setState({ name: 'closed' });
  }

  /**
   * Sends a request and waits for its reply.
   * @param {string} type
   * @param {object} body
   * @param {{signal?: AbortSignal, onProgress?: (message: any) => void, fresh?: boolean, at?: number}} [options] fresh: the reader
   *   wants it run anew, also where its answer is kept, as in a lesson; at: in a replay, as it was answered at that moment
   * @returns {Promise<any>} the reply; rejects with a LiveError
   */
  request(type, body, { signal, onProgress, fresh, at } = {}) {
    if (!this.open) return Promise.reject(offline());
    if (signal?.aborted) return Promise.reject(cancelled());
    const id = String(++this.lastId);
    return new Promise((resolve, reject) => {
      const abort = () => {
        // The reply that may still come finds nobody waiting.
        this.pending.delete(id);
        this.send({ type: 'cancel', id });
        reject(cancelled());
      };
      const settle = (finish) => (value) => {
        signal?.removeEventListener('abort', abort);
        finish(value);
      };
      this.pending.set(id, { resolve: settle(resolve), reject: settle(reject), onProgress });
      signal?.addEventListener('abort', abort, { once: true });
      this.send({ type, id, ...body, ...(fresh && this.fresh ? { fresh: true } : {}), ...(this.moment ? { at: at ?? this.moment() } : {}) });
    });
  }

  /** Kept when the connection stands. @returns {Promise<void>} */
  connected() {
    if (this.open) return Promise.resolve();
    return new Promise((stands) => { this.addEventListener('hello', () => stands(), { once: true }); });
  }

  send(message) {
    if (this.open) this.socket.send(encode({ v: protocolVersion, ...message }));
  }

  /** @param {string} text */
  receive(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (message?.v !== protocolVersion) {
      this.emit('version', { version: message?.v });
      return;
    }
    switch (message.type) {
      case 'hello':
        this.clock.clearTimeout(this.timer);
        this.epoch++;
        this.failures = 0;
        this.build = message.build ?? '';
        this.devices = message.devices ?? [];
        this.setState({ name: 'open' });
        this.emit('hello', message);
        return;
      case 'reload':
        this.emit('reload', message);
        return;
      case 'exercises':
        this.exercises = message.versions ?? null;
        this.emit('exercises', message);
        return;
      case 'room':
        if (message.id) break;
        this.emit('room', message);
        return;
      case 'devices':
        this.devices = message.devices ?? [];
        this.emit('devices', message);
        break;
    }
    const waiting = this.pending.get(message.id);
    if (!waiting) return;
    if (message.type === 'progress') {
      waiting.onProgress?.(message);
      return;
    }
    this.pending.delete(message.id);
    if (message.type === 'error') waiting.reject(new LiveError(message));
    else waiting.resolve(message);
  }

  lost(reason) {
    this.clock.clearTimeout(this.timer);
    this.socket = undefined;
    this.failAll('the connection to the workbench broke before the answer came');
    // Half of the pause is fixed and half random: never at once, never together.
    const pause = Math.min(this.longestPause, firstPause * 2 ** this.failures);
    const retryIn = Math.round(pause / 2 + (this.random() * pause) / 2);
    this.failures++;
    this.timer = this.clock.setTimeout(() => this.connect(), retryIn);
    this.setState({ name: 'waiting', retryIn, reason });
  }

  failAll(message) {
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of waiting) reject(offline(message, 'broken'));
  }

  /** @param {LiveState} state */
  setState(state) {
    this.state = state;
    this.emit('state', state);
  }

  emit(type, detail) {
    this.dispatchEvent(Object.assign(new Event(type), { detail }));
  }
}

function offline(message = 'this page is not connected to the workbench', code = 'offline') {
  return new LiveError({
    code,
    message,
    next: 'Stepping goes on without it. To run something, see that the workbench is still serving, then try again.',
  });
}

function cancelled() {
  return new LiveError({ code: 'cancelled', message: 'stopped' });
}
