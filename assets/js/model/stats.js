/**
 * Words for what a device did: what it counted, and how long that took. The
 * figures are the device's own; this page adds nothing up.
 * @module
 */

/**
 * @typedef {object} Stats
 * @property {number} requests
 * @property {number} launches
 * @property {number} bytes_in
 * @property {number} bytes_out
 * @property {number} [copy_in_ns]
 * @property {number} [kernel_ns]
 * @property {number} [copy_out_ns]
 */

/**
 * "1 product, 1 launch, 96 bytes in, 32 bytes out; copy in 4.1 µs, kernel 6.2 µs,
 * copy out 5.0 µs", as the workbench writes it in a terminal.
 * @param {Stats | null | undefined} stats
 * @returns {string} "" where nothing was counted, as on the CPU
 */
export function work(stats) {
  const { requests = 0, launches = 0, bytes_in: bytesIn = 0, bytes_out: bytesOut = 0 } = stats ?? {};
  const taken = times(stats);
  if (!requests && !launches && !bytesIn && !bytesOut && !taken) return '';
  const counted = [count(requests, 'product'), count(launches, 'launch', 'launches'), count(bytesIn, 'byte in', 'bytes in'), count(bytesOut, 'byte out', 'bytes out')].join(', ');
  return taken ? `${counted}; ${taken}` : counted;
}

/**
 * How long each part took that was timed.
 * @param {Stats | null | undefined} stats
 */
export function times(stats) {
  const { copy_in_ns: copyIn = 0, kernel_ns: kernel = 0, copy_out_ns: copyOut = 0 } = stats ?? {};
  return [['copy in', copyIn], ['kernel', kernel], ['copy out', copyOut]]
    .filter(([, ns]) => Number(ns) > 0)
    .map(([name, ns]) => `${name} ${duration(Number(ns))}`)
    .join(', ');
}

/**
 * Writes nanoseconds, rounded half up, in the largest unit of which there is
 * one: "850 ns", "4.1 µs", "123 ms".
 * @param {number} ns
 */
export function duration(ns) {
  if (ns < 1000) return `${ns} ns`;
  const [unit, name] = ns >= 999_500_000 ? [1e9, 's'] : ns >= 999_500 ? [1e6, 'ms'] : [1e3, 'µs'];
  const tenths = Math.floor((ns + unit / 20) / (unit / 10));
  return tenths < 1000 ? `${(tenths / 10).toFixed(1)} ${name}` : `${Math.floor((ns + unit / 2) / unit)} ${name}`;
}

function count(n, one, many = `${one}s`) {
  return `${n} ${n === 1 ? one : many}`;
}
