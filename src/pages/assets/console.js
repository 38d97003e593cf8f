// The console works without this script, which adds: keys, and pages that refresh themselves while nobody uses a
// form.

// Refreshing. The server renders the page again and htmx changes what differs.

/** @typedef {{ oldNode: Element, newNode: Element }} Morph */
const htmx =
  /** @type {{ htmx: { registerExtension(name: string, extension: object): void, trigger(on: Element, name: string): void } | undefined }} */ (
    /** @type {unknown} */ (window)
  ).htmx;
let refreshedAt = performance.now();

htmx?.registerExtension('console', {
  /**
   * What a visitor opened stays open.
   *
   * @param {Element} element
   * @param {{ attrName: string }} change
   */
  htmx_before_morph_attr: (element, { attrName }) =>
    !(attrName === 'open' && element.matches('details, dialog')),
  /**
   * The form may have been taken into use since the request was sent.
   *
   * @param {Element} element
   */
  htmx_before_swap: (element) => !(element.id === 'main' && isInUse()),
});

/** Whether a visitor fills in a form, is about to press its button, selects text, or reads a dialog. */
function isInUse() {
  const selection = getSelection();
  return (
    document.querySelector('main form:hover, main form:focus-within, main [data-changed], dialog[open]') !==
      null ||
    (selection !== null && !selection.isCollapsed)
  );
}

document.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLElement) target.dataset['changed'] = '';
});

function refresh() {
  const main = document.querySelector('main[data-refresh]');
  if (!(main instanceof HTMLElement) || document.hidden || isInUse()) return;
  if (performance.now() - refreshedAt < Number(main.dataset['refresh']) * 1_000) return;
  refreshedAt = performance.now();
  htmx?.trigger(main, 'refresh');
}
setInterval(refresh, 1_000);
document.addEventListener('visibilitychange', refresh);
/** A page that cannot refresh shows what was. @param {boolean} isLost */
function showLost(isLost) {
  const lost = document.getElementById('lost');
  if (lost !== null) lost.hidden = !isLost;
}
document.addEventListener('htmx:error', () => showLost(true));
document.addEventListener('htmx:after:request', (event) => {
  const { detail } = /** @type {CustomEvent<{ ctx: { response: { status: number } } }>} */ (event);
  const { status } = detail.ctx.response;
  // While the store is away, the page stays as it was.
  showLost(status >= 500);
  // The session has ended: the next load asks for a sign-in.
  if (status === 401) document.querySelector('main[data-refresh]')?.removeAttribute('data-refresh');
});

// Chips, and the menu of a phone: a click outside and Escape close the open one.

/** @param {EventTarget | null} target */
function closeOthers(target) {
  for (const each of document.querySelectorAll('.chip > [open], #nav > [open]'))
    if (each instanceof HTMLDetailsElement && !(target instanceof Node && each.contains(target)))
      each.open = false;
}
document.addEventListener('click', ({ target }) => closeOthers(target));

// Keys.

/** The row, or the problem of the overview, that j and k move through: by the first link of each. */
let row = -1;
let goesAt = -Infinity;

/** @param {number} by */
function move(by) {
  const links = [...document.querySelectorAll('main .problems > li, main tbody tr')].map((each) => {
    const link = each.querySelector('a');
    // A row without a link can be read, and scrolls into view.
    if (link === null && each instanceof HTMLElement) each.tabIndex = -1;
    return link ?? /** @type {HTMLElement} */ (each);
  });
  if (links.length === 0) return;
  // Rows may have come and gone since the last key.
  const focused = links.findIndex((link) => link === document.activeElement);
  row = Math.min(Math.max((focused === -1 ? row : focused) + by, 0), links.length - 1);
  links[row]?.focus();
}

const help = document.getElementById('help');
const helpButton = document.getElementById('help-open');
function openHelp() {
  if (help instanceof HTMLDialogElement && !help.open) help.showModal();
}
helpButton?.addEventListener('click', openHelp);
if (helpButton !== null) helpButton.hidden = false;

// The text before a button. Without HTTPS it is selected only.
for (const button of document.querySelectorAll('button[data-copied]')) {
  const field = button.parentElement?.previousElementSibling;
  if (!(button instanceof HTMLButtonElement) || !(field instanceof HTMLTextAreaElement)) continue;
  button.hidden = false;
  const clipboard = /** @type {Clipboard | undefined} */ (navigator.clipboard);
  button.addEventListener('click', () => {
    field.select();
    void clipboard?.writeText(field.value).then(() => {
      button.textContent = button.dataset['copied'] ?? '';
    });
  });
}

/** @param {string} key */
function follow(key) {
  const link = document.querySelector(`#nav a[data-key="${CSS.escape(key)}"]`);
  if (link instanceof HTMLElement) link.click();
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null)
    return;
  if (event.key === 'Escape') closeOthers(null);
  if (event.target instanceof HTMLElement && event.target.matches('input, select, textarea')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const goes = performance.now() - goesAt < 1_500;
  goesAt = -Infinity;
  if (goes) follow(event.key);
  else if (event.key === 'g') goesAt = performance.now();
  else if (event.key === '?') openHelp();
  else if (event.key === '/') document.getElementById('search')?.focus();
  else if (event.key === 'j') move(1);
  else if (event.key === 'k') move(-1);
  else {
    document.dispatchEvent(new CustomEvent('portaria:key', { detail: { key: event.key } }));
    return;
  }
  event.preventDefault();
});

export {};
