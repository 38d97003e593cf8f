import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Limit } from '../output/pages.ts';

/** What commander makes of the flags every list takes. */
export interface ListFlags {
  readonly json: boolean;
  readonly limit: Limit;
}

export function addListOptions(command: Command): Command {
  return command.addOption(limitOption('rows', 50)).addOption(jsonOption());
}

export function limitOption(what: string, most: number): Option {
  return new Option('--limit <n>', `at most so many ${what}; 0 or all for every one`)
    .default(most)
    .argParser(parseLimit);
}

export function jsonOption(): Option {
  return new Option('--json', 'one JSON object per line').default(false, 'a table');
}

function parseLimit(text: string): Limit {
  if (text === 'all' || text === '0') return 'all';
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write a whole number, or all.');
  return Number(text);
}
