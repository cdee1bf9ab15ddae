/**
 * What a launch did, as rows of tables. Every number is the emulator's count; a
 * quotient here is one of two of them.
 * @module
 */

const whole = (n) => n.toLocaleString('en').replace(/,/g, '\u202f');
const figures = (x, digits = 4) => String(Number(Number(x).toPrecision(digits)));

/** @param {any} m a launch's measurement @returns {[string, string][]} */
export function rows(m) {
  const conflicts = m.shared_loads.conflicts + m.shared_stores.conflicts + m.shared_atomics.conflicts;
  const turns = m.shared_loads.turns + m.shared_stores.turns + m.shared_atomics.turns;
  const out = [
    ['blocks, threads, warps', [m.blocks, m.threads, m.warps].map(whole).join(', ')],
    ['instructions of warps', `${whole(m.instructions)}, ${figures(m.instructions_per_warp)} for each`],
    ['lanes at work', `${figures(100 * m.lane_efficiency)} %`],
    ['branches', `${whole(m.branches)}, of which ${whole(m.diverged)} parted their warp`],
    ['floating-point operations', whole(m.flops) + (m.special ? `, and ${whole(m.special)} of exp, sqrt and the like` : '')],
    ['requests to global memory', `${whole(m.loads.requests)} loads, ${whole(m.stores.requests)} stores, ${whole(m.atomics.requests)} atomics`],
    ['sectors of 32 bytes for a request', figures(m.sectors_per_request)],
    ['transactions of 128 bytes for a request', figures(m.transactions_per_request)],
    ['operations for a byte moved', figures(m.arithmetic_intensity)],
  ];
  if (turns > 0) {
    out.push(['requests to shared memory', `${whole(m.shared_loads.requests)} loads, ${whole(m.shared_stores.requests)} stores, ${whole(m.shared_atomics.requests)} atomics`]);
    out.push(['turns of its banks', `${whole(turns)}, of which ${whole(conflicts)} are conflicts`]);
  }
  if (m.barriers > 0) out.push(['barriers, by warps', whole(m.barriers)]);
  return out;
}

/** Head and rows of how often values were used. @param {any} m */
export function uses(m) {
  const head = ['array', 'elements', 'loaded', 'loads by lanes', 'fetches by requests', 'loads of each', 'within a block'];
  const row = (a, space) => [`${a.name}${space}`, whole(a.elements), whole(a.loaded), whole(a.loads), whole(a.fetches), figures(a.loads_per_element), figures(a.loads_per_block)];
  return { head, rows: [...(m.buffers ?? []).map((a) => row(a, '')), ...(m.shared ?? []).map((a) => row(a, ' (shared)'))] };
}

/** Head and rows of what each line of the source did, those alone that did something. @param {any} m */
export function lineRows(m) {
  const head = ['line', 'instructions', 'lanes at work', 'parted', 'operations', 'global requests', 'sectors for each', 'bank conflicts'];
  const out = (m.lines ?? []).filter((l) => l.instructions > 0).map((l) => {
    const requests = l.loads.requests + l.stores.requests + l.atomics.requests;
    const sectors = l.loads.sectors + l.stores.sectors + l.atomics.sectors;
    const conflicts = l.shared_loads.conflicts + l.shared_stores.conflicts + l.shared_atomics.conflicts;
    const banked = l.shared_loads.requests + l.shared_stores.requests + l.shared_atomics.requests;
    return {
      line: l.line,
      cells: [
        whole(l.instructions), `${figures((100 * l.lane_instructions) / (32 * l.instructions), 3)} %`,
        l.branches ? `${whole(l.diverged)} of ${whole(l.branches)}` : '', l.flops ? whole(l.flops) : '',
        requests ? whole(requests) : '', requests ? figures(sectors / requests) : '', banked ? whole(conflicts) : '',
      ],
    };
  });
  return { head, rows: out };
}
