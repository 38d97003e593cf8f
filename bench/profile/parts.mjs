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
  ['checkpoint', /\/src\/store\/sqlite\/commit\/.*checkpoint/],
  ['begin and commit', /better-sqlite3\/lib\/methods\/transaction\.js/],
  ['store: commit', /\/src\/store\/sqlite\/commit\//],
  ['store: events', /\/src\/store\/sqlite\/events\//],
  ['store: enqueue deliveries', /\/src\/store\/sqlite\/deliveries\/enqueue/],
  ['store: claim', /\/src\/store\/sqlite\/deliveries\/(claim|start|prefetch|clock-jumps|lanes)/],
  ['store: finish deliveries', /\/src\/store\/sqlite\/deliveries\//],
  ['store: other', /\/src\/store\//],
  ['canonical JSON', /\/src\/kernel\/json\/(canonical|member-order)/],
  ['identify, digest', /\/src\/identify\//],
  ['validation (zod)', /(node_modules\/zod\/|\/src\/contract\/)/],
  ['parse: other (UTF-8, depth, JSON.parse)', /\/src\/(parse|kernel\/json)\//],
  ['verify', /\/src\/verify\//],
  ['receive', /\/src\/(receive\/|pipeline\.ts)/],
  ['Hono', /node_modules\/(hono|@hono)\//],
  ['telemetry', /(\/src\/telemetry\/|node_modules\/(prom-client|pino)\/)/],
  ['dispatch', /(\/src\/dispatch\/|node_modules\/(p-queue|p-timeout|eventemitter3)\/)/],
  ['replay', /\/src\/replay\//],
  ['handlers', /(\/src\/handle\/|bench\/handlers\/)/],
  ['kernel: other', /\/src\/kernel\//],
  ['node: HTTP, sockets, timers', /^node:/],
];

/**
 * Statements are attributed to their caller, not to `prepare`.
 */
const TRANSPARENT = /\/src\/store\/sqlite\/sql\//;

/** @param {readonly import('./cpu-profile.mjs').Frame[]} stack */
export function partOf(stack) {
  for (const { url, name } of stack) {
    if (TRANSPARENT.test(url)) continue;
    for (const [part, file, named] of PARTS) if (file.test(url) && (named?.test(name) ?? true)) return part;
  }
  return 'other';
}
