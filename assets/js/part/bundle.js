/**
 * The third-party code that a page may have: ECharts, Temml and CodeMirror, made by
 * assets/bundle. A page that was built without them never asks for them.
 * @module
 */
import { asset } from './asset.js';

/** Whether the server has the bundles. */
export const hasBundle =
  document.querySelector('meta[name="wb-bundle"]')?.getAttribute('content') === 'present';

/** @param {string} name a file of assets/dist */
export const bundleAddress = (name) => asset(`dist/${name}`);

const loading = new Map();

/**
 * Loads a module of assets/dist once; null where it is not there or fails.
 * @param {string} name
 * @returns {Promise<any>}
 */
export function loadBundle(name) {
  if (!hasBundle) return Promise.resolve(null);
  if (!loading.has(name)) {
    loading.set(name, import(bundleAddress(name)).catch((error) => {
      console.warn(`${name} could not be loaded; the page goes on without it`, error);
      return null;
    }));
  }
  return loading.get(name);
}
