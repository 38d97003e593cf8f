/**
 * The parts of the program, by the innermost frame that matches. Native functions
 * (SQLite, hashing) count for their caller.
 *
 * @type {readonly (readonly [string, RegExp, RegExp?])[]}
 */
const PARTS = [
  ['idle', /^$/, /^\(idle\)$/],
  ['garbage collection', /^$/, /^\(garbage collector\)$/],
  ['native code below the event loop (sockets, parser of HTTP)', /^$/, /^\(program\)$/],
  ['checkpoint', /\/src\/store\/sqlite\/(checkpoint|write-ahead-log)\.ts/],
  ['begin and commit', /better-sqlite3\/lib\/methods\/transaction\.js/],
  ['store: events', /\/src\/store\/sqlite\/event-rows\.ts/],
  ['store: subjects', /\/src\/store\/sqlite\/subject-rows\.ts/],
  ['store: enqueue deliveries', /\/src\/store\/sqlite\/enqueue-delivery\.ts/],
  [
    'store: claim',
    /\/src\/store\/sqlite\/(claim-deliveries|due-deliveries|start-delivery|waiting-deliveries|clock-jumps)\.ts/,
  ],
  ['store: finish deliveries', /\/src\/store\/sqlite\/held-deliveries\.ts/],
  ['store: the rest', /\/src\/store\//],
  ['canonical JSON and digest', /\/src\/(identify\/digest|kernel\/canonical-(json|writer))\.ts/],
  ['identify: the rest', /\/src\/identify\//],
  ['validation (zod)', /(node_modules\/zod\/|\/src\/contract\/)/],
  ['parse: the rest (UTF-8, depth, JSON.parse)', /\/src\/(parse|kernel\/json-text)/],
  ['verify', /\/src\/verify\//],
  ['receive', /\/src\/(receive\/|pipeline\.ts)/],
  ['Hono', /node_modules\/(hono|@hono)\//],
  ['telemetry', /(\/src\/telemetry\/|node_modules\/(prom-client|pino)\/)/],
  ['dispatch', /(\/src\/dispatch\/|node_modules\/(p-queue|p-timeout|eventemitter3)\/)/],
  ['replay', /\/src\/replay\//],
  ['handlers', /(\/src\/handle\/|bench\/handlers\/)/],
  ['clock', /\/src\/kernel\//],
  ['node: HTTP, sockets, timers', /^node:/],
];

/**
 * Statements are attributed to their caller, not to `prepare`.
 */
const TRANSPARENT = /\/src\/store\/sqlite\/statement\.ts/;

/** @param {readonly import('./cpu-profile.mjs').Frame[]} stack */
export function partOf(stack) {
  for (const { url, name } of stack) {
    if (TRANSPARENT.test(url)) continue;
    for (const [part, file, named] of PARTS) if (file.test(url) && (named?.test(name) ?? true)) return part;
  }
  return 'the rest';
}
