/**
 * A kernel in an address: its source and its launch, packed into the fragment, which
 * no browser sends to any server.
 *
 *     /chapters/tiles?widget=tiled#kernel=eJxT…
 *
 * The fragment is JSON, deflated (RFC 1951), in base64url without padding.
 * @module
 */

/** The longest fragment that is read or written, in characters, and the longest text that comes of it. */
export const bounds = { packed: 64 << 10, text: 512 << 10 };

const prefix = '#kernel=';

/** @typedef {{source: string, launch: string}} Carried launch is JSON */

/**
 * Writes a fragment, or null where it would be too long for an address.
 * @param {Carried} carried
 * @returns {Promise<string | null>}
 */
export async function pack({ source, launch }) {
  const bytes = new TextEncoder().encode(JSON.stringify([source, launch]));
  if (bytes.length > bounds.text) return null;
  const packed = new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer());
  let binary = '';
  for (let at = 0; at < packed.length; at += 4096) binary += String.fromCharCode(...packed.subarray(at, at + 4096));
  const text = btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  return text.length > bounds.packed ? null : prefix + text;
}

/**
 * Reads a fragment. Whoever made it is a stranger: what is not such a text, or
 * becomes too long, is refused.
 * @param {string} hash
 * @returns {Promise<Carried>} rejects with an Error that says why
 */
export async function unpack(hash) {
  const text = hash.slice(prefix.length);
  if (text.length > bounds.packed || !/^[\w-]*$/.test(text)) throw new Error('The kernel in this address cannot be read: it is cut off or mistyped.');
  try {
    const packed = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    const parts = [];
    let length = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.length;
      if (length > bounds.text) {
        await reader.cancel();
        throw new Error('too long');
      }
      parts.push(part.value);
    }
    const whole = new Uint8Array(await new Blob(parts).arrayBuffer());
    const carried = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(whole));
    if (!Array.isArray(carried) || carried.length !== 2 || carried.some((one) => typeof one !== 'string')) throw new Error('no kernel');
    return { source: carried[0], launch: carried[1] };
  } catch {
    throw new Error('The kernel in this address cannot be read: it is cut off or mistyped.');
  }
}
