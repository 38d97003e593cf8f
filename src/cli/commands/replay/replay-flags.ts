import type { Command } from 'commander';
import type { Clock } from '../../../kernel/time/clock.ts';
import { addEventFilterOptions, type EventFilterFlags } from '../../options/event-filter-options.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseCount, parseRate } from '../../options/numbers.ts';
import { repeatable } from '../../options/repeatable.ts';
import { parseWebAddress } from '../../options/web-address.ts';

/** What commander makes of the flags of `replay`. */
export interface ReplayFlags extends EventFilterFlags {
  readonly handler?: readonly string[];
  readonly ifNotSucceeded: boolean;
  readonly to?: string;
  readonly rate?: number;
  readonly concurrency?: number;
  readonly resume?: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

export function addReplayOptions(command: Command, clock: Clock): Command {
  return addEventFilterOptions(command, clock)
    .option('--handler <name>', 'this handler or machine; repeatable; all unless given', repeatable)
    .option('--if-not-succeeded', 'leave out what a handler already finished well', false)
    .option('--to <url>', 'post the stored bytes there instead of calling handlers', parseWebAddress)
    .option('--rate <n>', 'so many calls in a second at most', parseRate)
    .option('--concurrency <n>', 'so many calls at a time at most', parseCount)
    .option('--resume <id>', 'go on with a replay that was interrupted, for example r3')
    .option('--dry-run', 'say what it would do, change nothing', false)
    .option('-y, --yes', 'do not ask', false)
    .addOption(jsonOption());
}
