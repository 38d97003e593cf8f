/** What an operator should look at. The names appear in metrics, alerts and `--json`, and never change. */
export const problemKinds = [
  'dead-letters',
  'quarantine',
  'open-breaker',
  'rejections',
  'oldest-pending',
  'silence',
  'missed-webhooks',
  'overdue',
  'paused',
  'unknown-kinds',
  'unregistered-handlers',
] as const;

export type ProblemKind = (typeof problemKinds)[number];

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
}

/** Names a problem from its begin to its end. */
export function problemKey({ problem, of }: Pick<OperatorProblem, 'problem' | 'of'>): string {
  return of === null ? problem : `${problem}:${of}`;
}
