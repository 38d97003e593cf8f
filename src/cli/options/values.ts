/** Parsers of flag values. Each throws commander's `InvalidArgumentError` with an example of a valid value. */
import { InvalidArgumentError } from 'commander';
import { BLOCKED_PORT, blockedPorts, hasBlockedPort } from '../../kernel/http/blocked-ports.ts';
import { parsePeriod } from '../../kernel/time/durations.ts';

/** A whole number from 1. */
export function parseCount(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('Write a whole number, 1 or more.');
  return Number(value);
}

/** A whole number from 0. */
export function parseWhole(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('Write a whole number, 0 or more.');
  return Number(value);
}

/** Whole seconds, from 1 to a day. */
export function parseSeconds(value: string): number {
  const seconds = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (seconds < 1 || seconds > 86_400) throw new InvalidArgumentError('Write whole seconds, 1 to 86400.');
  return seconds;
}

/** A number of calls per second. 0.5 is one call every two seconds. */
export function parseRate(value: string): number {
  const rate = Number(value);
  if (!(rate > 0 && Number.isFinite(rate))) throw new InvalidArgumentError('Write a number above 0.');
  return rate;
}

export function parsePort(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new InvalidArgumentError('Write a port, 0 to 65535.');
  if (blockedPorts.has(Number(value))) throw new InvalidArgumentError(`It ${BLOCKED_PORT}.`);
  return Number(value);
}

/** An http or https URL without user name and password. */
export function parseWebAddress(value: string): string {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value))
    throw new InvalidArgumentError('Write a URL that starts with http:// or https://.');
  const { username, password } = new URL(value);
  if (username !== '' || password !== '')
    throw new InvalidArgumentError('Leave out user name and password; sign with a secret instead.');
  return value;
}

/** A web address that commands call. */
export function parseTarget(value: string): string {
  if (hasBlockedPort(value)) throw new InvalidArgumentError(`It ${BLOCKED_PORT}.`);
  return parseWebAddress(value);
}

/**
 * Parses a retention period: `90m`, `12h`, `7d`, `2w`, or `forever`.
 *
 * @returns milliseconds; null for `forever`.
 */
export function parseRetention(value: string): number | null {
  if (value === 'forever') return null;
  const ms = parsePeriod(value);
  if (ms === undefined) throw new InvalidArgumentError('Write a period: 12h, 7d or 2w, or forever.');
  return ms;
}

/** Parses an age of a minute or more: `90m`, `12h`, `7d` or `2w`. */
export function parseAge(value: string): number {
  const ms = parsePeriod(value) ?? 0;
  if (ms === 0) throw new InvalidArgumentError('Write an age: 12h, 90d or 26w.');
  return ms;
}
