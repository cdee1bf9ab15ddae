/**
 * The versions of the matrix product beside a vendor's library, as they were
 * measured. Every figure is the workbench's; here it only gets its digits, and a
 * place on the scale.
 * @module
 */

/**
 * @typedef {{name: string, speed: number, spread?: number, ratio?: number, bytes?: number, allowed?: number}} Rung
 * @typedef {{precision: string, size: number, operations: number, memory: number, rungs: Rung[], device?: string, runs?: number, missing?: string}} Ladder
 */

/** What the page calls our own versions. */
const names = { naive: 'naive', tiled: 'tiled', blocked: '4 × 4 cells a thread' };

/**
 * A table's rows. Bars are in thousandths of the scale that all of them share: the
 * longest bar, or the furthest mark.
 * @param {Ladder} ladder
 */
export function rows({ rungs }) {
  const scale = Math.max(...rungs.map(({ speed, allowed = 0 }) => Math.max(speed, allowed)));
  const at = (x) => Math.round((1e4 * x) / scale) / 10;
  return rungs.map(({ name, speed, spread = 0, ratio = 0, bytes = 0, allowed = 0 }) => ({
    rung: name,
    name: names[name] ?? name,
    speed: digits(speed),
    spread: spread > 0 ? `spread ${digits(spread)}` : '',
    ratio: ratio > 0 ? `${(100 * ratio).toFixed(1)}\u00a0%` : '–',
    bytes: bytes > 0 ? `${digits(bytes / 1e9)}\u00a0GB` : '–',
    allowed: allowed > 0 ? digits(allowed) : '–',
    bar: at(speed),
    mark: allowed > 0 ? at(allowed) : null,
  }));
}

/** Three digits that mean something, and never fewer than the whole part has. */
export function digits(x) {
  if (Math.abs(x) >= 1000) return x.toFixed(0);
  const rounded = Number(x.toPrecision(3));
  return rounded !== 0 && Math.abs(rounded) < 1e-6 ? rounded.toFixed(20).replace(/0+$/, '') : String(rounded);
}

/** What a table of a ladder is called. @param {Ladder} ladder */
export function title({ precision, size, device, runs }, spec, when) {
  return `Measured here, on ${device} (${spec}), ${when}: two ${size} × ${size} matrices in ${precision}, medians of ${runs} runs`;
}

/** What stands below a table. @param {Ladder} ladder */
export function legend({ memory, missing }) {
  const parts = [];
  if (missing) parts.push(`Without cuBLAS: ${missing}.`);
  if (memory > 0) parts.push(`An addition of two long arrays moved ${digits(memory)} GB/s.`);
  parts.push('All versions had the same bits.');
  return parts.join(' ');
}

/** The GPUs of a list of devices, each once. */
export function gpus(devices) {
  return devices.filter(({ spec }) => /^cuda:\d+$/.test(spec));
}
