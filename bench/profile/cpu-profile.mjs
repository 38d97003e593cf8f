import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Reads a profile of `node --cpu-prof`: the time of every function with its callers,
 * mapped from the build to the sources.
 *
 * @typedef {object} Frame
 * @property {string} name
 * @property {string} url '' for a native function
 * @property {number} line
 *
 * @typedef {{ stack: readonly Frame[], ms: number }} Sample `stack` from the innermost frame outwards
 */

/**
 * @param {string} file
 * @param {RegExp} atWork matches the files of functions that run under load only: what the process
 *   did before the first of them, and after the last, is its start and its end
 * @returns {readonly Sample[]}
 */
export function readCpuProfile(file, atWork) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
  const maps = createMaps();
  const byId = new Map(nodes.map((node) => [node.id, { ...node, callFrame: maps.inSource(node.callFrame) }]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const worked = (/** @type {number} */ id) => atWork.test(byId.get(id).callFrame.url);
  const [first, last] = [samples.findIndex(worked), samples.findLastIndex(worked)];
  /** @type {Map<number, number>} */
  const times = new Map();
  for (let index = first; index <= last; index += 1) {
    const id = samples[index];
    times.set(id, (times.get(id) ?? 0) + timeDeltas[index] / 1_000);
  }
  return [...times].map(([id, ms]) => ({ stack: stackOf(id, byId, parents), ms }));
}

/**
 * @param {number} leaf
 * @param {Map<number, any>} byId
 * @param {Map<number, number>} parents
 */
function stackOf(leaf, byId, parents) {
  const stack = [];
  for (let id = /** @type {number | undefined} */ (leaf); id !== undefined; id = parents.get(id)) {
    const { functionName, url, lineNumber } = byId.get(id).callFrame;
    stack.push({ name: functionName || '(anonymous)', url, line: lineNumber + 1 });
  }
  return stack;
}

/** The source maps of the build, each read once. */
function createMaps() {
  /** @type {Map<string, SourceMap | null>} */
  const maps = new Map();

  /** @param {string} url */
  function mapOf(url) {
    const file = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : '';
    if (!maps.has(url))
      maps.set(url, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : null);
    return maps.get(url) ?? null;
  }

  return {
    /** @param {{ functionName: string, url: string, lineNumber: number, columnNumber: number }} frame */
    inSource(frame) {
      const entry = mapOf(frame.url)?.findEntry(frame.lineNumber, frame.columnNumber);
      if (entry === undefined || !('originalSource' in entry)) return frame;
      const { originalSource, originalLine } = entry;
      return { ...frame, url: new URL(originalSource, frame.url).href, lineNumber: originalLine };
    },
  };
}
