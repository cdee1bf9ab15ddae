/**
 * Chooses a device. Those that are not there are listed too, with why and what
 * to do about it.
 * @module
 */
import { asSentence } from '../model/sentence.js';
import { el, fill, say, set } from './dom.js';

/** @typedef {import('../model/live.js').DeviceInfo} DeviceInfo */

export class DevicePicker {
  /**
   * @param {object} options
   * @param {string} options.label
   * @param {string} options.value the device's spec
   * @param {(spec: string) => void} options.onChange
   */
  constructor({ label, value, onChange }) {
    this.value = value;
    this.devices = [];
    this.select = el('select', {
      class: 'device-select',
      change: () => {
        this.value = this.select.value;
        onChange(this.value);
      },
    });
    this.element = el('label', { class: 'device' }, el('span', { class: 'device-label' }, label), ' ', this.select);
    this.update([]);
  }

  /** @param {DeviceInfo[]} devices as the server lists them */
  update(devices) {
    this.devices = devices;
    const known = devices.some((device) => device.spec === this.value);
    const options = devices.map((device) =>
      el('option', { value: device.spec, disabled: !device.available }, optionText(device)));
    // A device from a chapter or an address may be on nobody's list.
    if (!known) options.unshift(el('option', { value: this.value }, this.value));
    fill(this.select, ...options);
    this.select.value = this.value;
  }

  /** @param {string} spec */
  set(spec) {
    this.value = spec;
    this.update(this.devices);
  }

  /** Shows the device and lets nobody choose. @param {string} reason */
  lock(reason) {
    this.select.disabled = true;
    set(this.element, 'title', reason);
  }
}

/** "NVIDIA H200, cuBLAS (cuda:0,library)" */
function optionText({ spec, name, available }) {
  const text = name && name.toLowerCase() !== spec ? `${name} (${spec})` : spec;
  return available ? text : `${text} – not available`;
}

/** Says which devices are not there, why, and how to get them. */
export class MissingDevices {
  /** @param {() => Promise<any>} look asks the workbench to look again */
  constructor(look) {
    this.summary = el('summary');
    this.list = el('dl');
    this.button = el('button', { type: 'button', class: 'small', click: () => this.again(look) }, 'Look again');
    this.said = el('span', { class: 'looked', role: 'status' });
    this.element = el('details', { class: 'missing-devices', hidden: true }, this.summary, this.list, el('p', {}, this.button, ' ', this.said));
  }

  async again(look) {
    set(this.button, 'disabled', true);
    say(this.said, 'Looking …');
    try {
      await look();
      say(this.said, 'That is what is there now.');
    } catch (error) {
      say(this.said, asSentence(error.message));
    } finally {
      set(this.button, 'disabled', false);
    }
  }

  /** @param {DeviceInfo[]} devices */
  update(devices) {
    const missing = devices.filter((device) => !device.available);
    set(this.element, 'hidden', missing.length === 0);
    say(this.summary, `Not available here: ${missing.map((device) => device.spec).join(', ')}. Why, and how to get ${missing.length === 1 ? 'it' : 'them'}`);
    fill(this.list, ...missing.flatMap(({ spec, name, reason, next, tried }) => [
      el('dt', {}, el('code', {}, spec), name && name !== spec ? ` ${name}` : ''),
      el('dd', {}, [reason, next].filter(Boolean).map((text) => asSentence(text)).join(' '),
        tried?.length && folded({ title: 'Where it was looked for', lines: tried })),
    ]));
  }
}

/**
 * The device that a list says is not there and that another one needs: itself,
 * or the GPU of which it is another way of use.
 * @param {DeviceInfo[]} devices as the server lists them
 * @param {string} spec
 */
export function missingFor(devices, spec) {
  const gpu = /^cuda:\d+/.exec(spec)?.[0];
  const listed = devices.find((device) => device.spec === spec) ?? devices.find((device) => device.spec === gpu);
  return listed && !listed.available ? listed : undefined;
}

/**
 * Lines that only some readers want to see.
 * @param {{title: string, lines: string[]}} detail
 */
export function folded({ title, lines }) {
  return el('details', { class: 'folded' }, el('summary', {}, title),
    el('ul', {}, ...lines.map((line) => el('li', {}, el('code', {}, line)))));
}
