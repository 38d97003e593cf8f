/** What needs an operator, and what that is found in. */
import type { OperatorProblem } from '../../attention/problem.ts';
import type { Registry } from '../../handle/load/registry.ts';
import type { JobRecord } from '../../store/jobs.ts';
import type { RejectionCount } from '../../store/monitoring.ts';
import type { Pause, PauseLookup, Pauses } from '../../store/pauses.ts';
import type { Failures, Plans } from '../../store/plans.ts';
import type { Queries } from '../../store/queries.ts';
import type { DispatchView } from '../../view/dispatch-view.ts';
import { instantText } from '../../view/instant-text.ts';
import type { StatisticsView } from '../../view/statistics-view.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import type { Page } from '../page.ts';

const MAX_ERROR = 160;

/** What needs an operator: a sentence, its cause, and the page on which to fix it. */
export interface Problem {
  readonly tone: 'bad' | 'warn';
  readonly sentence: string;
  /** What a handler threw, in whatever language. */
  readonly error?: string;
  /** What a check said, in English whatever the language of the page. */
  readonly quoted?: string;
  /** Since when, whether it goes on, and what to do where the page of `href` does not offer it. */
  readonly note?: string;
  readonly href: string;
  /** What the page of `href` offers first, where that is not what its kind of page offers. */
  readonly action?: string;
  /** What to do before that, on another page. */
  readonly before?: { readonly href: string; readonly action: string };
  /** The language of the sentence, when it is not the page's. */
  readonly language?: string;
}

/** What the problems of this moment are found in. */
export interface Findings {
  readonly page: Page;
  readonly store: Queries &
    Pick<Failures, 'failureGroups'> &
    Pick<Pauses, 'pausedDeliveries'> &
    Pick<Plans, 'problemGroups' | 'overtaken'> & { healthy(): boolean };
  readonly registry: Pick<Registry, 'routesFor' | 'newestOnly'>;
  readonly statistics: StatisticsView;
  readonly dispatch: DispatchView;
  /** Deliveries that may run at a time in this process. */
  readonly places: number;
  readonly pauses: readonly Pause[];
  readonly rejections: readonly RejectionCount[];
  /** The newest jobs. */
  readonly jobs: readonly JobRecord[];
  readonly notReady: ReturnType<ConsoleDeps['notReady']>;
  /** Problems of the last check. Those that are counts are left out: the page counts them itself. */
  readonly observed: readonly OperatorProblem[];
}

export type Looked = Findings & { readonly paused: PauseLookup };

export function problem(tone: Problem['tone'], sentence: string, href: string): Problem {
  return { tone, sentence, href };
}

/** When it came first and last, and whether it goes on. */
export function seenOf(
  { words, format, now }: Page,
  { firstAt, lastAt, isOn }: { readonly firstAt: number; readonly lastAt: number; readonly isOn: boolean },
): string {
  const [first, last] = [firstAt, lastAt].map((at) => format.relative(instantText(at), now));
  return words.problems.seen(first ?? '', last ?? '', isOn);
}

export function cut(text: string): string {
  return text.length > MAX_ERROR ? `${text.slice(0, MAX_ERROR)}…` : text;
}

export function hasOpenBreaker({ open_breakers: open }: DispatchView, name: string): boolean {
  return open.some(({ handler }) => handler === name);
}
