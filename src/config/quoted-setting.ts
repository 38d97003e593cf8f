import { settings, type SettingName } from './settings.ts';

/** The value of a setting as an error may show it; null where it may not. */
export function quotedSetting(name: SettingName, value: string): string | null {
  const setting = settings[name];
  if ('secret' in setting) return null;
  const isAddress = 'address' in setting || value.includes('://');
  return JSON.stringify(isAddress ? withoutCredentials(value) : value);
}

/** Goes by pattern, because the address may be one that does not parse. */
function withoutCredentials(address: string): string {
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(address)?.[0] ?? '';
  const rest = address.slice(scheme.length);
  const end = rest.search(/[?#]/);
  const [place, query] = end === -1 ? [rest, ''] : [rest.slice(0, end), rest.slice(end)];
  // Part of a query, or a password that holds a ? or a #: nobody can tell which.
  if (query.includes('@')) return `${scheme}…`;
  const userEnd = place.lastIndexOf('@');
  const shown = userEnd === -1 ? place : `…${place.slice(userEnd)}`;
  return `${scheme}${shown}${query === '' ? '' : `${query.charAt(0)}…`}`;
}
