import { parseSubjectName } from '../../event/subject.ts';
import type { ConsoleApp } from '../console-deps.ts';

/** Adds the search field of every page: an event id, a subject, a quarantined entry, or a kind. */
export function addSearch(app: ConsoleApp): void {
  app.get('/search', (c) => c.redirect(addressFor((c.req.query('q') ?? '').trim()), 303));
}

/** Returns the page that a searched text means. */
export function addressFor(text: string): string {
  if (text === '') return '/events';
  if (/^[0-9a-z]{6}-\d+$/u.test(text)) return `/events/${text}`;
  if (/^q\d+$/u.test(text)) return `/quarantine/${text}`;
  const [prefix, ...rest] = text.split(':');
  const value = rest.join(':');
  if (prefix !== undefined && ['kind', 'source', 'flag', 'verdict', 'status', 'since'].includes(prefix))
    return `/events?${new URLSearchParams({ [prefix]: value }).toString()}`;
  if (parseSubjectName(text) !== undefined) return `/subjects/${encodeURIComponent(text)}`;
  return `/events?${new URLSearchParams({ kind: text }).toString()}`;
}
