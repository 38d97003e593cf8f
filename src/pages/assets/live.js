// The live page: a stream brings rows, and this script decides when they enter the table. New rows wait while
// somebody reads, and enter when nobody does, or on request. The browser connects again by itself, by Last-Event-ID.

/** Rows that the table keeps, and rows that wait. */
const MAX_ROWS = 200;
/** Milliseconds between looks whether someone still reads: time to reach the button for new rows. */
const LOOK_MS = 700;
/** Milliseconds without a message after which a stream is taken for dead. The server sends one in 15,000. */
const SILENT_MS = 40_000;
/** Milliseconds until a rejected stream is asked for again. */
const RETRY_MS = 5_000;

const live = element('#live');
const state = element('#live-state');
const pauseButton = element('#live-pause');
const newButton = element('#live-new');
const rows = element('#rows tbody');
const arriving = document.createElement('tbody');
const words = /** @type {Record<string, string>} */ (JSON.parse(live.dataset['words'] ?? '{}'));
const title = document.title;

/** Why there is no stream, and none is tried. @type {'paused' | 'hidden' | 'signedOut' | null} */
let stopped = null;
/** @type {EventSource | null} */
let stream = null;
let lastEventId = '';
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function open() {
  stopped = null;
  close();
  show('connecting', 'off');
  const address = new URL(live.dataset['stream'] ?? '', location.href);
  if (lastEventId !== '') address.searchParams.set('after', lastEventId);
  const opened = new EventSource(address);
  stream = opened;
  const messages = {
    rows: receiveRows,
    outcomes: receiveOutcomes,
    gap: receiveGap,
    beat: () => show('live', 'ok'),
  };
  for (const [name, receive] of Object.entries(messages))
    opened.addEventListener(name, (/** @type {MessageEvent<string>} */ { data, lastEventId: id }) => {
      // A stream begins without the id of the one before.
      lastEventId = id || lastEventId;
      clearTimeout(timer);
      timer = setTimeout(open, SILENT_MS);
      receive(data);
    });
  opened.addEventListener('error', () => {
    show('lost', 'warn');
    if (opened.readyState === EventSource.CLOSED) void askWhy(opened);
  });
}

function close() {
  clearTimeout(timer);
  stream?.close();
  stream = null;
}

/** The browser does not tell a script the status of a stream. @param {EventSource} rejected */
async function askWhy(rejected) {
  const response = await fetch(rejected.url, { method: 'HEAD', headers: { 'hx-request': 'true' } }).catch(
    () => null,
  );
  if (stream !== rejected) return;
  if (response?.status === 401) stop('signedOut');
  else {
    if (response?.headers.has('retry-after')) show('full', 'warn');
    clearTimeout(timer);
    // With jitter: a restarted server is not asked by all pages at once.
    timer = setTimeout(open, RETRY_MS * (0.7 + Math.random() * 0.6));
  }
}

/** @param {'paused' | 'hidden' | 'signedOut'} why */
function stop(why) {
  stopped = why;
  close();
  show(why, 'warn');
}

/**
 * @param {string} word
 * @param {'ok' | 'warn' | 'off'} tone
 */
function show(word, tone) {
  state.textContent = words[word] ?? word;
  state.className = `state ${tone}`;
  const action = stopped === null ? 'pause' : stopped === 'signedOut' ? 'signIn' : 'resume';
  pauseButton.textContent = words[action] ?? '';
  document.title = stopped === null ? title : `${words['paused'] ?? ''} · ${title}`;
}

/** @param {string} html */
function elementsOf(html) {
  const template = document.createElement('template');
  template.innerHTML = html;
  return [...template.content.children];
}

/** @param {string} html */
function receiveRows(html) {
  // After a reconnect the server may repeat rows.
  arriving.prepend(...elementsOf(html).filter(({ id }) => find(id) === undefined));
  admit();
}

/** @param {string} html */
function receiveOutcomes(html) {
  for (const { id, lastElementChild } of elementsOf(html))
    if (lastElementChild !== null) find(id)?.lastElementChild?.replaceWith(lastElementChild);
}

/** @param {string} text */
function receiveGap(text) {
  element('#live-gap').textContent = text;
}

/** @param {string} id */
function find(id) {
  return [...rows.children, ...arriving.children].find((row) => row.id === id);
}

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
  if (arriving.childElementCount > 0 && (force || !isReading())) {
    rows.prepend(...arriving.children);
    rows.dispatchEvent(new Event('portaria:rows', { bubbles: true }));
  }
  for (const body of [rows, arriving])
    while (body.childElementCount > MAX_ROWS) body.lastElementChild?.remove();
  const waiting = arriving.childElementCount;
  newButton.hidden = waiting === 0;
  newButton.textContent = (words['newRows'] ?? '').replace('{n}', String(waiting));
}
setInterval(admit, LOOK_MS);

newButton.addEventListener('click', () => {
  admit(true);
  scrollTo({ top: 0 });
  pauseButton.focus();
});
pauseButton.addEventListener('click', () => {
  if (stopped === null) stop('paused');
  else if (stopped === 'signedOut') location.reload();
  else open();
});
document.addEventListener('portaria:key', (event) => {
  const { key } = /** @type {CustomEvent<{ key: string }>} */ (event).detail;
  if (key === 'p') pauseButton.click();
  if (key === 'n' && !newButton.hidden) newButton.click();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden && stopped === null) stop('hidden');
  else if (!document.hidden && stopped === 'hidden') open();
});

/** @param {string} selector */
function element(selector) {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the live page has no ${selector}`);
  return found;
}

live.hidden = false;
if (document.hidden) stop('hidden');
else open();

export {};
