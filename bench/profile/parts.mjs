/**
 * What a part of the program is, by the innermost frame that tells. Native
 * functions (SQLite, hashing) count for whoever calls them.
 *
 * @type {readonly (readonly [string, RegExp, RegExp?])[]}
 */
const PARTS = [
  ['idle', /^$/, /^\(idle\)$/],
  ['garbage collection', /^$/, /^\(garbage collector\)$/],
  ['native code below the event loop (sockets, parser of HTTP)', /^$/, /^\(program\)$/],
  ['checkpoint', /store\/sqlite\/checkpoint\.js/],
  ['begin and commit', /better-sqlite3\/lib\/methods\/transaction\.js/],
  ['store: events', /store\/sqlite\/event-rows\.js/],
  ['store: subjects', /store\/sqlite\/subject-rows\.js/],
  ['store: enqueue deliveries', /store\/sqlite\/enqueue-delivery\.js/],
  [
    'store: claim',
    /store\/sqlite\/(claim-deliveries|due-deliveries|start-delivery|waiting-deliveries|clock-jumps)\.js/,
  ],
  ['store: finish deliveries', /store\/sqlite\/held-deliveries\.js/],
  ['store: the rest', /dist\/src\/store\//],
  ['canonical JSON and digest', /dist\/src\/(identify\/digest|kernel\/canonical-json)\.js/],
  ['identify: the rest', /dist\/src\/identify\//],
  ['validation (zod)', /(node_modules\/zod\/|dist\/src\/contract\/)/],
  ['parse: the rest (UTF-8, depth, JSON.parse)', /dist\/src\/(parse|kernel\/json-text)/],
  ['verify', /dist\/src\/verify\//],
  ['receive', /dist\/src\/(receive\/|pipeline\.js)/],
  ['Hono', /node_modules\/(hono|@hono)\//],
  ['telemetry', /(dist\/src\/telemetry\/|node_modules\/(prom-client|pino)\/)/],
  ['dispatch', /(dist\/src\/dispatch\/|node_modules\/(p-queue|p-timeout|eventemitter3)\/)/],
  ['replay', /dist\/src\/replay\//],
  ['handlers', /(dist\/src\/handle\/|bench\/handlers\/)/],
  ['clock', /dist\/src\/kernel\//],
  ['node: HTTP, sockets, timers', /^node:/],
];

/**
 * Statements of one shape are told apart by who runs them, not by `prepare`.
 */
const TRANSPARENT = /store\/sqlite\/statement\.js/;

/** @param {readonly import('./cpu-profile.mjs').Frame[]} stack */
export function partOf(stack) {
  for (const { url, name } of stack) {
    if (TRANSPARENT.test(url)) continue;
    for (const [part, file, named] of PARTS) if (file.test(url) && (named?.test(name) ?? true)) return part;
  }
  return 'the rest';
}
