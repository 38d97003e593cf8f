// The console works without this script, which adds: times in the zone of the browser, and keys.
const language = document.documentElement.lang;
const instant = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
for (const time of document.querySelectorAll('time')) {
  const text = instant.format(new Date(time.dateTime));
  if (time.dataset['as'] === 'instant') time.textContent = text;
  else time.title = `${text} · ${time.dateTime}`;
}

/** The row that j and k move through, by the first link of each. */
let row = -1;

/** @param {number} by */
function move(by) {
  const links = [...document.querySelectorAll('main tbody tr')].flatMap((each) => {
    const link = each.querySelector('a');
    return link === null ? [] : [link];
  });
  if (links.length === 0) return;
  row = Math.min(Math.max(row + by, 0), links.length - 1);
  links[row]?.focus();
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLElement && event.target.matches('input, select, textarea')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (event.key === '/') document.getElementById('search')?.focus();
  else if (event.key === 'j') move(1);
  else if (event.key === 'k') move(-1);
  else return;
  event.preventDefault();
});

// The numbers of a running job, read again by themselves. When it ends, the whole page is.
const readAgain = document.querySelector('[data-read-again]');
if (readAgain instanceof HTMLElement) {
  const every = 1000 * Number(readAgain.dataset['readAgain']);
  const timer = setInterval(async () => {
    const response = await fetch(location.href).catch(() => null);
    const page = response?.ok && new DOMParser().parseFromString(await response.text(), 'text/html');
    if (!page) return;
    const [now, before] = [page.querySelector('[data-live]'), document.querySelector('[data-live]')];
    if (now !== null && before !== null) return before.replaceChildren(...now.childNodes);
    clearInterval(timer);
    location.reload();
  }, every);
}
