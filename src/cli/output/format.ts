/** How commands print single values for people: a time, a size, named fields, JSON, a message id. */
import { localTime } from './local-time.ts';
import { printable, printableLine } from '../../kernel/text/printable.ts';

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Formats an ISO instant in local time. Null gives ''. */
export function readableTime(iso: string | null): string {
  return iso === null ? '' : localTime(Date.parse(iso));
}

const VERSION = /^(deleted(?=\/|$))?\/?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)?(?:\.(\d{9})Z)?/u;

/**
 * Formats the version of an event: the local time by which the event is ordered, after `deleted` if the record is,
 * or the number of a custom kind. What breaks ties is left out. Null gives ''.
 */
export function readableVersion(version: string | null): string {
  if (version === null) return '';
  if (/^\d{16}$/u.test(version)) return String(Number(version));
  const [, deleted, seconds, fraction = ''] = VERSION.exec(version) ?? [];
  if (seconds === undefined) return deleted ?? version;
  const time = localTime(Date.parse(`${seconds}Z`));
  const decimals = fraction.replace(/0+$/u, '');
  const exact = decimals === '' ? time : `${time.slice(0, 19)}.${decimals}${time.slice(19)}`;
  return deleted === undefined ? exact : `${deleted} ${exact}`;
}

/** Formats a version for the page of one record: readable, and as it is stored. */
export function versionInFull(version: string | null): string {
  if (version === null) return 'none';
  const readable = readableVersion(version);
  return readable === version ? version : `${readable} (${version})`;
}

/** Formats a number of bytes as `1.4 MiB`. */
export function readableBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), BYTE_UNITS.length - 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 ? String(value) : value.toFixed(1)} ${BYTE_UNITS[power]!}`;
}

/** Formats fields as `name  value` lines with the values aligned. */
export function fieldLines(fields: Readonly<Record<string, string | number>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${printableLine(String(value))}`)
    .join('\n');
}

/** Formats a value as JSON over several lines, each indented by two spaces. */
export function indentedJson(value: unknown): string {
  return printable(JSON.stringify(value, null, 2)).replaceAll(/^/gm, '  ');
}

/** Formats a message id, and says when it is not trusted to detect duplicates. */
export function messageIdText(message: {
  readonly message_id: string | null;
  readonly message_id_trusted: boolean;
}): string {
  const { message_id: id, message_id_trusted: trusted } = message;
  if (id === null) return 'none';
  return trusted ? id : `${id} (not signed: duplicates are detected by content)`;
}
