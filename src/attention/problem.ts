/** Problems that need an operator: their kinds, facts and texts. */
import type { ServerMove } from '../store/monitoring.ts';

/** The kinds of problems. The names appear in metrics, alerts and `--json`, and never change. */
export const problemKinds = [
  'no-process',
  'stalled',
  'store-unavailable',
  'disk-low',
  'backup-late',
  'dead-letters',
  'quarantine',
  'open-breaker',
  'rejections',
  'observed',
  'oldest-pending',
  'silence',
  'missed-webhooks',
  'overdue',
  'paused',
  'drift',
  'reconcile-late',
  'unknown-kinds',
  'unregistered-handlers',
  'moved-server',
] as const;

export type ProblemKind = (typeof problemKinds)[number];

/**
 * The names and numbers of a summary, for those who say it in another language. Times are milliseconds since
 * 1970.
 */
export type ProblemFacts =
  | {
      readonly about: 'rejections';
      readonly source: string;
      readonly count: number;
      /** The usual number in as long a time. */
      readonly usual: number;
      readonly lastReason: string | null;
      readonly clockSeconds: number | null;
      /** The setting with the secrets of the source. */
      readonly secretsFrom: string;
    }
  | {
      readonly about: 'silence';
      readonly source: string;
      /** Null for the whole source. */
      readonly kind: string | null;
      readonly lastAt: number;
      /** The number of events that usually arrive in this time. */
      readonly expected: number;
      /** Why the provider's API could not tell the cause; null when it was not asked. */
      readonly unasked: string | null;
    }
  | {
      readonly about: 'missed-webhooks';
      readonly source: string;
      readonly kind: string | null;
      readonly lastAt: number;
      readonly subject: string;
      readonly changedAt: number;
    }
  | {
      readonly about: 'overdue';
      readonly pattern: string;
      /** Null when none ever came. */
      readonly lastAt: number | null;
      readonly withinMs: number;
    }
  | {
      readonly about: 'unknown-kinds';
      readonly source: string;
      readonly count: number;
      /** The latest of them, with likely personal data masked. */
      readonly names: readonly string[];
    }
  | {
      readonly about: 'drift';
      readonly source: string;
      readonly family: string;
      readonly count: number;
      /** The numbers by outcome, such as `2 missed, 1 behind`. */
      readonly outcomes: string;
      /** When the look began. */
      readonly at: number;
    }
  | { readonly about: 'reconcile-late'; readonly source: string; readonly families: readonly string[] }
  | { readonly about: 'unregistered-handlers'; readonly handler: string; readonly pending: number }
  /** `until` is null where it has no end. `passed` has what the webhooks of the last days pass; `none` is nothing. */
  | {
      readonly about: 'observed';
      readonly source: string;
      readonly until: string | null;
      readonly passed: readonly { readonly scheme: string; readonly webhooks: number }[];
    }
  | { readonly about: 'moved-server'; readonly move: ServerMove }
  /** `handler` as in an outage; `count` is of the last hour. */
  | {
      readonly about: 'stalled';
      readonly handler: string | null;
      readonly count: number;
      readonly lastAt: number;
    }
  /** `lastAt` is null without any backup. */
  | { readonly about: 'backup-late'; readonly folder: string; readonly lastAt: number | null }
  /** `share` is that of the disk, from 0 to 1. */
  | { readonly about: 'disk-low'; readonly freeBytes: number; readonly share: number };

/** A reason why a working installation needs an operator. It holds no personal data. */
export interface OperatorProblem {
  readonly problem: ProblemKind;
  /** The handler, source, or source and kind; null when it concerns the whole store. */
  readonly of: string | null;
  /** Milliseconds since 1970; null when unknown. */
  readonly since: number | null;
  /** What is the matter: a sentence without its full stop. */
  readonly summary: string;
  /** What to do. */
  readonly remedy: string;
  /** Absent for problems that pages count themselves. */
  readonly facts?: ProblemFacts;
}

/** Names a problem from its begin to its end. */
export function problemKey({ problem, of }: Pick<OperatorProblem, 'problem' | 'of'>): string {
  return of === null ? problem : `${problem}:${of}`;
}

/** What telemetry says of a problem. */
export function fieldsOf({ problem, of, summary }: OperatorProblem) {
  return { problem, of, summary };
}
