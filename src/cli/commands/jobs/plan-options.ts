/** The flags of changes that can be planned. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { JobPace } from '../../../store/jobs.ts';
import { parseRate } from '../../options/values.ts';

/** The parsed flags of what is planned and run as a job. */
export interface RunFlags {
  readonly plan: boolean;
  readonly dryRun: boolean;
  readonly staged?: boolean;
  readonly rate?: number;
  /** From 0 to 1; null never. */
  readonly stopAt?: number | null;
  readonly yes?: boolean;
  readonly json: boolean;
}

/** The parsed flags of a change that can be planned and run as a job, and else happens at once. */
export interface PlanFlags extends RunFlags {
  readonly job: boolean;
}

/** The share of failures of a stage above which a job stops by default. */
const STOP_AT = 0.2;

export function addPlanOptions(command: Command, { stages }: { readonly stages: boolean }): Command {
  command
    .option('--plan', 'show how many, of which handlers and lanes, and how old; change nothing', false)
    .option('--job', 'run it as a job of the serving process, which can be cancelled and resumed', false);
  return addPaceOptions(command, { stages });
}

/** The flag of commands that run deliveries again. */
export function addOvertakenOption(command: Command): Command {
  return command.option(
    '--include-overtaken',
    'also where a handler that takes no stale events handles a later one of the subject first',
    false,
  );
}

export function addPaceOptions(command: Command, { stages }: { readonly stages: boolean }): Command {
  command.option('--rate <n>', 'as a job: at most n in a second', parseRate);
  if (!stages) return command;
  return command
    .option('--staged', 'as a job: 1, 10, 100, then all, each after the results of the one before')
    .addOption(
      new Option(
        '--stop-at <share>',
        'as a job: stop when more of a stage fail, for example 10%; never (default: 20%)',
      ).argParser(parseShare),
    );
}

/** Whether the change is planned or run as a job, instead of at once. */
export function asksForPlan({ plan, job, staged, rate, stopAt }: PlanFlags): boolean {
  return plan || job || staged === true || rate !== undefined || stopAt !== undefined;
}

export function paceOf({ staged = false, rate, stopAt = STOP_AT }: RunFlags): JobPace {
  return { staged, rate: rate ?? null, stopAt };
}

/** A share such as `20%` or `0.2`, from 0 to 1; null for `never`. */
function parseShare(value: string): number | null {
  if (value === 'never') return null;
  const match = /^(\d{1,3}(?:\.\d+)?)(%?)$/u.exec(value);
  const share = Number(match?.[1]) / (match?.[2] === '%' ? 100 : 1);
  if (!(share >= 0 && share <= 1))
    throw new InvalidArgumentError('Write a share of 0% to 100%, for example 20%, or never.');
  return share;
}
