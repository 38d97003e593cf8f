/** Circuit breakers by what handlers did: when one must open, who may probe it, and when it closes. */
import { ABANDONED_MS, breakerPolicy } from '../actors/handlers.ts';
import type { Call } from './calls.ts';
import { violated } from './violation.ts';

const FIRST_OPEN_MS = 1_000;
const MAX_OPEN_MS = 60_000;

interface Ended {
  readonly at: number;
  readonly is: 'well' | 'failed' | 'gave-up';
  readonly subject: string;
  /** Whether it counted when it ended. */
  readonly isSure: boolean;
}

interface Known {
  /** What calls came to since the breaker closed. */
  ended: Ended[];
  /** Null while it is closed. */
  open: { at: number; ms: number } | null;
  closedAt: number;
  probe: Call | null;
  /** How the probe ended, by its handler. */
  probeEnd: Call['how'];
  active: Set<Call>;
  /** Whether nobody can tell, until it has closed, which call is the probe. */
  isUnsure: boolean;
}

/** The breakers of one process. */
export class Breakers {
  readonly #known = new Map<string, Known>();
  readonly #isClosed: (handler: string) => boolean;

  constructor(isClosed: (handler: string) => boolean) {
    this.#isClosed = isClosed;
  }

  /** Another process begins: its breakers are closed. */
  reset(): void {
    this.#known.clear();
  }

  /** Whether it was open in this process. */
  wasOpen(handler: string): boolean {
    const known = this.#of(handler);
    return known.open !== null || known.closedAt >= 0 || known.isUnsure;
  }

  #of(handler: string): Known {
    const known = this.#known.get(handler) ?? {
      ...{
        ended: [],
        open: null,
        closedAt: -1,
        probe: null,
        probeEnd: null,
        active: new Set<Call>(),
        isUnsure: false,
      },
    };
    this.#known.set(handler, known);
    return known;
  }

  begin(call: Call): void {
    const known = this.#of(call.handler);
    known.active.add(call);
    if (known.open === null || this.#isClosed(call.handler)) return;
    const { at, ms } = known.open;
    if (call.startedAt === at) return;
    // It may have been let through before it opened, or be the probe: its event was to be resolved first.
    if (call.isAsked) known.isUnsure = true;
    if (call.isAsked || known.isUnsure) return;
    const about = `${call.delivery} runs ${call.handler}`;
    if (call.startedAt < at + ms)
      throw violated('breakers', `${about} ${call.startedAt - at} ms after it opened for ${ms} ms`);
    const { probe } = known;
    if (probe?.endedAt === null && call.startedAt - probe.startedAt < ABANDONED_MS)
      throw violated('breakers', `${about} beside the probe ${probe.delivery}`);
    Object.assign(known, { probe: call, probeEnd: null });
  }

  end(call: Call, subject: string): void {
    const known = this.#of(call.handler);
    known.active.delete(call);
    const { how } = call;
    const at = call.endedAt ?? 0;
    // A run that ignored its signal has counted before it ended.
    const isSure = at - call.startedAt < ABANDONED_MS && !known.isUnsure;
    // It may have closed before.
    if (known.open !== null && !known.isUnsure) {
      if (known.probe === call) known.probeEnd = how;
      if (known.probe === call && (how === 'return' || how === 'discard'))
        Object.assign(known, { ended: [], open: null, closedAt: at, probe: null });
      return;
    }
    if (how === 'return' || how === 'discard') known.ended.push({ at, is: 'well', subject, isSure });
    if (how === 'throw' || how === 'timed-out') known.ended.push({ at, is: 'failed', subject, isSure });
    if (how === 'give-up') known.ended.push({ at, is: 'gave-up', subject, isSure });
  }

  /** The process says so. */
  opened(handler: string, ms: number, at: number): void {
    const known = this.#of(handler);
    const { open, probeEnd } = known;
    const name = `the breaker of ${handler}`;
    const isAgain = probeEnd === 'later' || probeEnd === 'stopped';
    const expected = open === null ? FIRST_OPEN_MS : Math.min(open.ms * 2, MAX_OPEN_MS);
    if (ms !== expected && !(isAgain && ms === open?.ms) && !known.isUnsure)
      throw violated('breakers', `${name} opens for ${ms} ms, expected ${expected}`);
    if (open === null && !known.isUnsure) requireCause(name, known, at);
    Object.assign(known, { open: { at, ms }, ended: [] });
  }

  /** After a rest. */
  look(): void {
    for (const [handler, known] of this.#known) {
      const { open, probe, ended, closedAt } = known;
      const isClosed = this.#isClosed(handler);
      const name = `the breaker of ${handler}`;
      if (known.isUnsure) {
        if (isClosed) Object.assign(known, { open: null, probe: null, isUnsure: false });
        continue;
      }
      if (open === null && !isClosed) throw violated('breakers', `${name} is open, and it succeeds again`);
      if (open !== null && isClosed) throw violated('breakers', `${name} is closed, and no probe succeeded`);
      if (open !== null && probe !== null && probe.endedAt !== null && probe.endedAt > open.at) {
        const isOver = probe.endedAt - probe.startedAt < ABANDONED_MS;
        if (isOver && ['throw', 'timed-out', 'give-up'].includes(known.probeEnd ?? ''))
          throw violated('breakers', `${name} did not open again after ${probe.delivery}`);
      }
      const last = ended.findLast(({ is }) => is === 'well')?.at ?? -1;
      const sure = ended.filter(({ at, isSure }) => isSure && at > Math.max(last, closedAt));
      if (open === null && mayOpen(sure)) throw violated('breakers', `${name} is closed`, sure);
    }
  }
}

/** What may have been observed before it opened, in any order of a moment. */
function requireCause(name: string, { ended, active, closedAt }: Known, at: number): void {
  const last = ended.findLast((one) => one.is === 'well' && one.at < at)?.at ?? -1;
  const since = ended.filter((one) => one.at >= Math.max(last, closedAt));
  // A run that ignores its signal counts before it ends, and so may one that ends now.
  const abandoned = [...active].filter((call) => at - call.startedAt >= ABANDONED_MS);
  const extra = abandoned.map((call): Ended => ({ at, is: 'failed', subject: call.delivery, isSure: false }));
  if (!mayOpen([...since, ...extra])) throw violated('breakers', `${name} opens after too little`, since);
}

function mayOpen(ended: readonly Ended[]): boolean {
  const { failures, subjects, giveUps } = breakerPolicy();
  const failed = ended.filter(({ is }) => is === 'failed');
  const gaveUp = ended.filter(({ is }) => is === 'gave-up');
  const of = (some: readonly Ended[]): number => new Set(some.map(({ subject }) => subject)).size;
  return (failed.length >= failures && of(failed) >= subjects) || of(gaveUp) >= giveUps;
}
