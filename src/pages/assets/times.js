// Times in the zone of the browser: those that a page shows, and those that a visitor types into a form, which
// the address names as instants. Without this script both are in the zone of the server, as pages say.

const formatOf = (/** @type {Intl.DateTimeFormatOptions} */ options) =>
  new Intl.DateTimeFormat(document.documentElement.lang, options);
const instant = formatOf({ dateStyle: 'medium', timeStyle: 'medium' });
/** On a phone a list has no room for what a time of this year, or of this minute, says beside the others. */
const isNarrow = matchMedia('(max-width: 480px)').matches;
const short = formatOf({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
const exact = formatOf({
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
});
const zone = formatOf({}).resolvedOptions().timeZone;
const offset = formatOf({ timeZoneName: 'shortOffset' })
  .formatToParts()
  .find(({ type }) => type === 'timeZoneName')?.value;

/** @param {ParentNode} root */
function localize(root) {
  for (const time of root.querySelectorAll('time')) {
    const date = new Date(time.dateTime);
    const shown = time.dataset['as'];
    const isShort =
      isNarrow && time.closest('td') !== null && date.getFullYear() === new Date().getFullYear();
    const text = (shown === 'exact' ? exact : isShort ? short : instant).format(date);
    if (shown === 'relative') time.title = `${text} · ${time.dateTime}`;
    else time.textContent = text;
  }
  for (const text of root.querySelectorAll('svg [data-instant]'))
    text.textContent = instant.format(new Date(text.getAttribute('data-instant') ?? ''));
  for (const element of root.querySelectorAll('[data-zone]')) {
    element.textContent =
      element instanceof HTMLElement && element.dataset['zone'] === 'name' ? zone : (offset ?? zone);
    if (element instanceof HTMLElement && element.dataset['zone'] !== 'name') element.title = zone;
  }
  for (const input of root.querySelectorAll('input[data-time]'))
    if (input instanceof HTMLInputElement) input.value = input.defaultValue = localText(input.value);
}

/** A date and a time of day, as a filter takes them. */
const LOCAL = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z$/;

/**
 * An instant as a visitor would type it here; any other text as it is.
 *
 * @param {string} text
 */
function localText(text) {
  if (!INSTANT.test(text)) return text;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  const day = [String(date.getFullYear()).padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())];
  const time = [two(date.getHours()), two(date.getMinutes())];
  if (date.getSeconds() > 0) time.push(two(date.getSeconds()));
  return `${day.join('-')} ${time.join(':')}`;
}

/**
 * What was typed as an instant, if it is a date and a time in this zone.
 *
 * @param {string} text
 */
function instantText(text) {
  const [, day, time = '00:00'] = LOCAL.exec(text.trim()) ?? [];
  const date = new Date(`${day ?? ''}T${time}`);
  return Number.isNaN(date.getTime()) ? text : `${date.toISOString().slice(0, 19)}Z`;
}

/** Times among the words of a search. */
const SEARCHED =
  /\b(since|until):(?:"(\d{4}-\d{2}-\d{2}[ T][\d:]{5,8})"|(\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?)(?=\s|$))/g;

document.addEventListener('formdata', ({ target, formData }) => {
  if (!(target instanceof HTMLFormElement)) return;
  for (const input of target.querySelectorAll('input[data-time]'))
    if (input instanceof HTMLInputElement && input.value !== '')
      formData.set(input.name, instantText(input.value));
  const searched = formData.get('q');
  if (target.role === 'search' && typeof searched === 'string')
    formData.set(
      'q',
      searched.replace(
        SEARCHED,
        (_whole, name, quoted, bare) => `${String(name)}:${instantText(String(quoted ?? bare))}`,
      ),
    );
});

localize(document);
for (const name of ['htmx:before:settle', 'portaria:rows'])
  document.addEventListener(name, ({ target }) => {
    if (target instanceof Element) localize(target);
  });

export {};
