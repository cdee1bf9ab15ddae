/**
 * The values of one example on several devices, side by side. Each comes from a
 * report that the engine made against the first device; texts are compared here,
 * and no numbers.
 * @module
 */

/**
 * @typedef {import('./report.js').RawReport} RawReport
 * @typedef {{text: string, differs: boolean}} Part
 * @typedef {{value: import('./number.js').TraceNumber, bits: Part[], ulp: string, same: boolean}} Value ulp is "" where the bits are the same, or where one of them is no number
 */

export class Contracts {
  /**
   * @param {object} raw
   * @param {string[]} raw.devices the reference first
   * @param {(RawReport | null | undefined)[]} raw.reports one for each device; of the reference against itself, if any
   * @param {({message: string, next?: string} | null | undefined)[]} [raw.failures] why a device that was asked has no report
   * @throws {Error} with a sentence for the reader, if there is nothing to show
   */
  constructor({ devices, reports, failures = [] }) {
    this.devices = devices;
    this.reports = devices.map((_, at) => reports[at] ?? null);
    this.failures = devices.map((_, at) => failures[at] ?? null);
    /** A report whose reference values stand in the first column. */
    this.source = this.reports.find(Boolean);
    if (!this.source || !Array.isArray(this.source.entries)) throw new Error('what the workbench sent has no values in it: reload the page');
  }

  /** @returns {{name: string, values: (Value | null)[]}[]} null where a device has none */
  rows() {
    return this.source.entries.map((entry, at) => ({
      name: `${entry.group}[${entry.coordinate.join(', ')}]`,
      values: this.devices.map((_, column) => (column === 0
        ? { value: entry.reference, bits: differences(entry.reference_bits, entry.reference_bits), ulp: '', same: true }
        : this.value(this.reports[column]?.entries[at]))),
    }));
  }

  /** @returns {Value | null} */
  value(entry) {
    if (!entry) return null;
    const same = entry.reference_bits === entry.candidate_bits;
    return {
      value: entry.candidate, bits: differences(entry.candidate_bits, entry.reference_bits), ulp: same ? '' : entry.ulp ?? '', same,
    };
  }

  /** What came of the devices that were asked, in sentences. */
  summary() {
    const asked = this.devices.flatMap((device, at) => (at > 0 && this.reports[at] ? [{ device, report: this.reports[at] }] : []));
    if (asked.length === 0) return `Only ${this.devices[0]} has been asked.`;
    const others = asked.filter(({ report }) => report.differing > 0);
    if (others.length === 0) return `${list(asked.map(({ device }) => device))} and ${this.devices[0]} have the same bits in every value.`;
    return `${others.map(({ device, report }) => `${device} has other bits than ${this.devices[0]} in ${report.differing} of ${report.count} values`).join('; ')}.`;
  }
}

/**
 * Cuts a text of hex digits where it begins or ceases to differ from another
 * one, digit by digit.
 * @param {string} text
 * @param {string} other
 * @returns {Part[]}
 */
export function differences(text, other) {
  /** @type {Part[]} */
  const parts = [];
  for (const [at, digit] of [...text].entries()) {
    const differs = digit !== other[at];
    const last = parts[parts.length - 1];
    if (last?.differs === differs) last.text += digit;
    else parts.push({ text: digit, differs });
  }
  return parts;
}

function list(words) {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')}, ${words[words.length - 1]}`;
}
