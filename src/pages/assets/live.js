// The live page: htmx streams messages into the table, and this script decides when rows enter it.
//
// - A stream is open while the tab is visible, not paused, and not crowded out by newer tabs: a browser opens
//   six connections to a host, and a seventh request would wait for ever.
// - New rows arrive in a hidden part of the table. They enter when nobody reads, or on request.

/** Streams of one browser at a time. Two connections are left for pages. */
const MAX_STREAMS = 4;
/** Rows that the table and the hidden part keep. */
const MAX_ROWS = 200;
/** Milliseconds from leaving the table to the rows that enter it: time to reach the button for new rows. */
const REACH_MS = 700;
/** Milliseconds without a message after which a stream is taken for dead. The server sends one in 15,000. */
const SILENT_MS = 40_000;
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [1_000, 30_000];

/** @typedef {{ abortController: AbortController, reader: ReadableStreamDefaultReader | null, delayCanceller: (() => void) | null }} Connection */
/**
 * What htmx says of a request or a stream; each event has a part of it.
 *
 * @typedef {object} Detail
 * @property {Connection} connection
 * @property {number} [status]
 * @property {{ id: string, event: string }} message
 * @property {{ request: { headers: Record<string, string> }, response: { status: number, headers: Headers } }} ctx
 */
/** @typedef {'paused' | 'hidden' | 'crowded' | 'signedOut'} Stop why there is no stream, and none is tried */

const htmx = /** @type {{ htmx: { trigger(on: Element, name: string): void } }} */ (
  /** @type {unknown} */ (window)
).htmx;
const live = element('live');
const state = element('live-state');
const pauseButton = element('live-pause');
const newButton = element('live-new');
const said = element('live-said');
const rows = element('rows');
const arriving = element('arriving');
const words = /** @type {Record<string, string>} */ (JSON.parse(live.dataset['words'] ?? '{}'));
const title = document.title;

/** @type {Stop | null} */
let stopped = null;
/** @type {'closed' | 'connecting' | 'open'} */
let phase = 'closed';
/** @type {Connection | null} */
let connection = null;
let lastEventId = '';
let retryMs = FIRST_RETRY_MS;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let retryTimer;
/** Runs while the pointer, which has just left the table, may be on its way to the button. @type {ReturnType<typeof setTimeout> | undefined} */
let reachTimer;
let heardAt = performance.now();

// Tabs of this browser tell each other when they open and close streams.
const tabs = new BroadcastChannel('portaria live');
const self = `${String(performance.timeOrigin)} ${String(Math.random())}`;
/** @param {boolean} opened */
function tell(opened) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origins
  tabs.postMessage({ tab: self, opened });
}

/** Tabs that have opened a stream after this one. */
const newer = new Set();
tabs.addEventListener('message', ({ data: { tab, opened } }) => {
  newer.delete(tab);
  if (opened) newer.add(tab);
  if (stopped === null && newer.size >= MAX_STREAMS) stop('crowded');
});

function start() {
  stopped = null;
  newer.clear();
  tell(true);
  show('connecting', 'off');
  open();
}

function open() {
  clearTimeout(retryTimer);
  // A closing stream opens the next one.
  if (phase !== 'closed' || stopped !== null) return;
  phase = 'connecting';
  heardAt = performance.now();
  htmx.trigger(live, 'open');
}

/** @param {Stop} why */
function stop(why) {
  stopped = why;
  clearTimeout(retryTimer);
  tell(false);
  show(why, 'warn');
  cut();
}

/** Ends the stream or the attempt to open one. htmx then asks whether to connect again. */
function cut() {
  htmx.trigger(live, 'htmx:abort');
  connection?.abortController.abort();
  connection?.delayCanceller?.();
}

/** @param {number} ms */
function retryIn(ms) {
  clearTimeout(retryTimer);
  // With jitter: a restarted server is not asked by all pages at once.
  if (stopped === null) retryTimer = setTimeout(open, ms * (0.7 + Math.random() * 0.6));
  retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
}

/**
 * @param {string} word
 * @param {'ok' | 'warn' | 'off'} tone
 */
function show(word, tone) {
  state.textContent = words[word] ?? word;
  state.className = `state ${tone}`;
  pauseButton.textContent =
    words[stopped === null ? 'pause' : stopped === 'signedOut' ? 'signIn' : 'resume'] ?? '';
  document.title = stopped === null ? title : `${words['paused'] ?? ''} · ${title}`;
}

/** @param {number} status */
function rejected(status) {
  if (status === 401) stop('signedOut');
  else show(status === 503 ? 'full' : 'lost', 'warn');
}

on('htmx:config:request', ({ ctx }) => {
  if (lastEventId !== '') ctx.request.headers['Last-Event-ID'] = lastEventId;
});
on('htmx:sse:before:connection', (detail, event) => {
  if (stopped !== null) event.preventDefault();
  else if (phase === 'open') show('lost', 'warn');
  connection = detail.connection;
});
on('htmx:sse:after:connection', (detail) => {
  connection = detail.connection;
  phase = 'open';
  heardAt = performance.now();
  if (stopped !== null) cut();
});
on('htmx:sse:error', ({ status }) => {
  if (status !== undefined) rejected(status);
});
on('htmx:sse:close', () => {
  phase = 'closed';
  connection = null;
  retryIn(0);
});
on('htmx:response:error', ({ ctx }) => {
  const { status, headers } = ctx.response;
  rejected(status);
  const seconds = Number(headers.get('retry-after'));
  if (seconds > 0) retryMs = seconds * 1_000;
});
on('htmx:finally:request', () => {
  // An attempt that led to no stream: the server is away, or has no place.
  if (phase !== 'connecting') return;
  phase = 'closed';
  if (stopped === null && state.textContent === words['connecting']) show('lost', 'warn');
  retryIn(retryMs);
});
on('htmx:sse:after:message', ({ message }) => {
  heardAt = performance.now();
  retryMs = FIRST_RETRY_MS;
  if (message.id) lastEventId = message.id;
  if (message.event === '') admit();
});
live.addEventListener('joined', () => {
  show('live', 'ok');
});
setInterval(() => {
  if (phase === 'open' && performance.now() - heardAt > SILENT_MS) cut();
}, 5_000);

document.addEventListener('visibilitychange', () => {
  if (document.hidden && stopped === null) stop('hidden');
  else if (!document.hidden && stopped === 'hidden') start();
});
addEventListener('pagehide', () => {
  tell(false);
});

/** Whether a row that moves would disturb someone. */
function isReading() {
  const selection = getSelection();
  return (
    rows.getBoundingClientRect().top < 0 ||
    rows.contains(document.activeElement) ||
    (matchMedia('(hover: hover)').matches && rows.matches(':hover')) ||
    reachTimer !== undefined ||
    newButton.matches(':hover') ||
    (selection !== null && !selection.isCollapsed && rows.contains(selection.anchorNode))
  );
}

/** Lets new rows into the table, unless someone reads it. */
function admit(force = false) {
  for (const row of [...arriving.children]) {
    // After a reconnect the server may repeat rows.
    const known = rows.querySelector(`:scope > [id="${row.id}"]`);
    if (known !== null) known.replaceWith(row);
  }
  if (force || !isReading()) {
    for (const row of [...arriving.children].reverse()) rows.insertBefore(row, placeOf(row));
    trim(rows);
  }
  trim(arriving);
  const waiting = arriving.childElementCount;
  newButton.hidden = waiting === 0;
  const text = (words['newRows'] ?? '').replace('{n}', String(waiting));
  newButton.textContent = text;
  said.textContent = waiting === 0 ? '' : text;
}

/** The row before which another belongs: the first that is older. @param {Element} row */
function placeOf(row) {
  return [...rows.children].find((each) => numberOf(each) < numberOf(row)) ?? null;
}

/** @param {Element} row */
function numberOf({ id }) {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}

/** @param {Element} body */
function trim(body) {
  while (body.childElementCount > MAX_ROWS) body.lastElementChild?.remove();
}

rows.addEventListener('mouseleave', () => {
  clearTimeout(reachTimer);
  reachTimer = setTimeout(() => {
    reachTimer = undefined;
    admit();
  }, REACH_MS);
});
for (const [target, name] of /** @type {const} */ ([
  [newButton, 'mouseleave'],
  [rows, 'focusout'],
  [document, 'scroll'],
  [document, 'selectionchange'],
]))
  target.addEventListener(name, () => {
    // The focus moves after the event.
    if (arriving.childElementCount > 0) setTimeout(admit);
  });

newButton.addEventListener('click', () => {
  admit(true);
  scrollTo({ top: 0 });
  pauseButton.focus();
});
pauseButton.addEventListener('click', () => {
  if (stopped === null) stop('paused');
  else if (stopped === 'signedOut') location.reload();
  else start();
});
document.addEventListener('portaria:key', (event) => {
  const { key } = /** @type {CustomEvent<{ key: string }>} */ (event).detail;
  if (key === 'p') pauseButton.click();
  if (key === 'n' && !newButton.hidden) newButton.click();
});

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the live page has no #${id}`);
  return found;
}

/**
 * @param {string} name
 * @param {(detail: Detail, event: Event) => void} listener
 */
function on(name, listener) {
  live.addEventListener(name, (event) => {
    listener(/** @type {CustomEvent<Detail>} */ (event).detail, event);
  });
}

live.hidden = false;
if (live.dataset['htmxPowered'] === undefined)
  document.addEventListener('htmx:after:process', begin, { once: true });
else begin();

function begin() {
  if (document.hidden) stop('hidden');
  else start();
}

export {};
