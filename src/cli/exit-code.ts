/** The exit codes, and which error has which. */
import type { ErrorCode } from '../kernel/errors.ts';
import { STALLED_EXIT_CODE } from '../serving/watchdog/stall-clock.ts';

/** The exit codes of the process. `portaria --help` lists them. */
export const exitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  misconfigured: 4,
  partial: 5,
  attention: 6,
  refused: 7,
  stalled: STALLED_EXIT_CODE,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCode.ok, 'done'],
  [exitCode.failed, 'failed, or doctor found a problem'],
  [exitCode.usage, 'the command line is wrong, or needs a terminal or --yes'],
  [exitCode.notFound, 'the named event, handler or other thing does not exist, or there is no database yet'],
  [exitCode.misconfigured, 'the configuration or a handler is wrong; nothing was started'],
  [exitCode.partial, 'done in part: some of it failed, stays under a legal hold, or needs another run'],
  [
    exitCode.attention,
    '`doctor --strict` found something that needs attention, or `reconcile` or `rehearse` a difference',
  ],
  [exitCode.refused, 'nothing was erased: the person is under a legal hold, or another erasure runs'],
  [exitCode.stalled, '`serve` was ended by its watchdog: a handler blocked the event loop'],
  [exitCode.interrupted, 'interrupted before everything was done'],
];

/** The exit code for an error of Portaria's own. */
export function exitCodeFor(code: ErrorCode): ExitCode {
  switch (code) {
    case 'invalid-argument':
      return exitCode.usage;
    case 'erasure-refused':
      return exitCode.refused;
    case 'not-found':
      return exitCode.notFound;
    case 'misconfigured':
    case 'handler-invalid':
    case 'store-unsupported':
    case 'store-newer':
      return exitCode.misconfigured;
    default:
      return exitCode.failed;
  }
}
