/** The flags that say how much of a result is shown, and in which format. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Limit } from '../output/pages.ts';

/** The parsed flags of every list. */
export interface ListFlags {
  readonly json: boolean;
  readonly limit: Limit;
}

/** The parsed flags of every command that shows one record with its payload. */
export interface DetailFlags {
  readonly unmask: boolean;
  readonly json: boolean;
}

export function addListOptions(command: Command): Command {
  return command.addOption(limitOption('rows', 50)).addOption(jsonOption());
}

export function limitOption(what: string, max: number): Option {
  return new Option('--limit <n>', `show at most n ${what}; 0 or all shows every one`)
    .default(max)
    .argParser(parseLimit);
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON, one object per line').default(false, 'text for people');
}

export function unmaskOption(): Option {
  return new Option('--unmask', 'show personal data').default(false, 'masked');
}

function parseLimit(value: string): Limit {
  if (value === 'all' || value === '0') return 'all';
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('Write a whole number, or all.');
  return Number(value);
}
