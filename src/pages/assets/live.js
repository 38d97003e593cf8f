// The live page: a stream brings rows, and this script decides when they enter the table.
//
// - A stream is open while the tab is visible, not paused, and not crowded out by newer tabs: a browser opens
//   six connections to a host, and a seventh request would wait for ever.
// - New rows arrive in a hidden part of the table. They enter when nobody reads, or on request.

/** Streams of one browser at a time. Two connections are left for pages. */
const MAX_STREAMS = 4;
/** Rows that the table and the hidden part keep. */
const MAX_ROWS = 200;
/** Milliseconds between looks whether someone still reads: time to reach the button for new rows. */
const LOOK_MS = 700;
/** Milliseconds without a message after which a stream is taken for dead. The server sends one in 15,000. */
const SILENT_MS = 40_000;
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [1_000, 30_000];

/** @typedef {'paused' | 'hidden' | 'crowded' | 'signedOut'} Stop why there is no stream, and none is tried */

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
/** The stream that is open or tried. @type {EventSource | null} */
let stream = null;
let lastEventId = '';
let retryMs = FIRST_RETRY_MS;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let retryTimer;
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

/** @param {Stop} why */
function stop(why) {
  stopped = why;
  tell(false);
  show(why, 'warn');
  clearTimeout(retryTimer);
  stream?.close();
  stream = null;
}

function open() {
  const address = new URL(live.dataset['stream'] ?? '', location.href);
  if (lastEventId !== '') address.searchParams.set('after', lastEventId);
  heardAt = performance.now();
  const opened = new EventSource(address);
  stream = opened;
  /** @type {Record<string, (content: DocumentFragment) => void>} */
  const messages = {
    rows(content) {
      arriving.prepend(content);
      arriving.dispatchEvent(new Event('portaria:rows', { bubbles: true }));
      admit();
    },
    outcomes(content) {
      for (const outcome of [...content.children]) document.getElementById(outcome.id)?.replaceWith(outcome);
    },
    gap(content) {
      element('live-gap').replaceChildren(content);
    },
    beat() {
      retryMs = FIRST_RETRY_MS;
      show('live', 'ok');
    },
  };
  for (const [name, receive] of Object.entries(messages))
    opened.addEventListener(name, (/** @type {MessageEvent<string>} */ message) => {
      if (stream !== opened) return;
      heardAt = performance.now();
      // A stream begins without the id of the one before.
      lastEventId = message.lastEventId || lastEventId;
      const template = document.createElement('template');
      template.innerHTML = message.data;
      receive(template.content);
    });
  opened.addEventListener('error', () => void lose(opened));
}

/** Asks why a stream ended or did not begin, and opens the next one later. @param {EventSource} lost */
async function lose(lost) {
  lost.close();
  if (stream !== lost) return;
  show('lost', 'warn');
  let wait = retryMs;
  retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  // The browser does not tell a script the status of a stream.
  const response = await fetch(lost.url, { method: 'HEAD', headers: { 'hx-request': 'true' } }).catch(
    () => null,
  );
  if (stream !== lost) return;
  if (response?.status === 401) {
    stop('signedOut');
    return;
  }
  const retryAfter = Number(response?.headers.get('retry-after') ?? 0);
  if (retryAfter > 0) {
    show('full', 'warn');
    wait = retryAfter * 1_000;
  }
  // With jitter: a restarted server is not asked by all pages at once.
  retryTimer = setTimeout(open, wait * (0.7 + Math.random() * 0.6));
}

setInterval(() => {
  if (stream?.readyState === EventSource.OPEN && performance.now() - heardAt > SILENT_MS) void lose(stream);
}, 5_000);

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
    (matchMedia('(hover: hover)').matches && (rows.matches(':hover') || newButton.matches(':hover'))) ||
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
    for (const row of [...arriving.children].reverse()) rows.insertBefore(row, firstOlder(row));
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
function firstOlder(row) {
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

setInterval(() => {
  if (arriving.childElementCount > 0) admit();
}, LOOK_MS);

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

live.hidden = false;
if (document.hidden) stop('hidden');
else start();

export {};
