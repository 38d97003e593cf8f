/** The steps of a story, as data, and how a seed draws them. */
import { seededRandom, type Random } from '../../src/kernel/random.ts';
import {
  FEW,
  handlerNames,
  providerMoods,
  targetMoods,
  type ProviderMood,
  type TargetMood,
} from './actors/names.ts';
import type { DiskFault } from './world/disk-faults.ts';

/** What one sender posts. */
export interface Sending {
  readonly source: 'default' | 'signed';
  /** Charges have no version, console users have one. */
  readonly record: 'charge' | 'console-user';
  readonly subject: number;
  /** Which of the record's contents; of a console user also its version. */
  readonly content: number;
  /** A few ids, so that they are used again; of `default` they are not trusted. */
  readonly message: number | null;
  /** `unknown-value`: a charge has a status that the contract does not list. */
  readonly form: 'plain' | 'other-order' | 'unknown-value' | 'invalid' | 'malformed' | 'wrong-proof';
}

/** How a handler's target behaves. */
export const moods = ['good', 'mixed', 'bad', 'slow', 'refusing', 'deadly'] as const;
export type Mood = (typeof moods)[number];

/** What a process is started with. */
export interface Setup {
  /** Those of the handlers whose bit is set. */
  readonly handlers: number;
  /** Whether some of them take other kinds. */
  readonly otherKinds: boolean;
  /** Whether values that the contract does not list are accepted. */
  readonly acceptsUnknown: boolean;
}

export type Step =
  /** `tasks` run after it; all by default. */
  | { readonly do: 'send'; readonly sent: Sending; readonly tasks?: number }
  /** At once: they share commits. */
  | { readonly do: 'flood'; readonly sent: readonly Sending[] }
  | { readonly do: 'pass'; readonly ms: number }
  /** Then so many milliseconds pass: retention begins a minute after it is due. */
  | { readonly do: 'sleep'; readonly ms: number; readonly thenMs: number }
  | { readonly do: 'jump'; readonly ms: number }
  | { readonly do: 'mood'; readonly handler: number; readonly mood: Mood }
  | { readonly do: 'disk'; readonly fault: DiskFault; readonly after: number; readonly times: number }
  | { readonly do: 'heal' }
  | { readonly do: 'die'; readonly tasks: number }
  | ({ readonly do: 'restart'; readonly graceMs: number } & Setup)
  | {
      readonly do: 'retry' | 'discard';
      readonly which: number;
      readonly many: number;
      readonly beside: boolean;
    }
  | {
      readonly do: 'pause';
      readonly scope: number;
      readonly handler: number;
      readonly subject: number;
      readonly ms: number | null;
      readonly beside: boolean;
    }
  | { readonly do: 'resume'; readonly which: number; readonly beside: boolean }
  | {
      readonly do: 'plan';
      /** `send` is a replay to a URL. */
      readonly action: 'retry' | 'discard' | 'replay' | 'send';
      readonly handler: number;
      readonly staged: boolean;
      /** Whether handlers get other kinds before it is started. */
      readonly upgrade: boolean;
      /** Whether it is started at once. */
      readonly start: boolean;
      readonly beside: boolean;
    }
  | { readonly do: 'start'; readonly which: number; readonly beside: boolean }
  | { readonly do: 'cancel'; readonly which: number }
  | { readonly do: 'release'; readonly beside: boolean }
  | { readonly do: 'hold' | 'free'; readonly subject: number }
  | { readonly do: 'erase'; readonly subject: number; readonly beside: boolean }
  /** What is older than it is kept, by a command. */
  | { readonly do: 'prune'; readonly beside: boolean }
  /** While some webhooks arrive. */
  | { readonly do: 'rebuild'; readonly beside: boolean; readonly sent: readonly Sending[] }
  | { readonly do: 'provider'; readonly mood: ProviderMood }
  /** A charge has another content at the provider. */
  | { readonly do: 'record'; readonly subject: number; readonly content: number }
  | { readonly do: 'target'; readonly mood: TargetMood }
  /** Copies the file while it is served, and opens the copy. */
  | { readonly do: 'backup' }
  | { readonly do: 'look' };

/** Subjects of each kind of record: few, so that lanes are long. */
export const SUBJECTS = 4;
const ALL_HANDLERS = 2 ** handlerNames.length - 1;
export const USUAL: Setup = { handlers: ALL_HANDLERS, otherKinds: false, acceptsUnknown: false };
const HOUR = 3_600_000;

/** Draws the steps of a seed. */
export function drawStory(seed: number, length: number): readonly Step[] {
  const random = seededRandom(seed);
  const story = createDraw(random);
  return Array.from({ length }, () => story());
}

function createDraw(random: Random): () => Step {
  const int = (below: number): number => Math.floor(random() * below);
  const chance = (of: number): boolean => random() < of;
  const pick = <T>(all: readonly T[]): T => all[int(all.length)] as T;
  /** Of a seed some actors are busy and others absent, so that stories differ. */
  const zeal = new Map<string, number>();
  /** Of some, one subject has a long history, whose versions grow. */
  const isLong = chance(0.15);
  let version = FEW;
  const weights: readonly (readonly [number, () => Step])[] = [
    [40, () => ({ do: 'send', sent: sending(), ...(chance(0.5) && { tasks: int(4) }) })],
    [6, () => ({ do: 'flood', sent: Array.from({ length: 2 + int(pick([6, 12, 50])) }, sending) })],
    [8, () => ({ do: 'pass', ms: pick([1, 10, 10, 60, 60, 300, 300, 1_000, 3_000]) })],
    [
      0.6,
      () => ({
        do: 'sleep',
        ms: pick([60_000, HOUR, 7 * HOUR, 30 * HOUR, 50 * HOUR]),
        thenMs: pick([0, 65_000]),
      }),
    ],
    [0.8, () => ({ do: 'jump', ms: (chance(0.5) ? 1 : -1) * pick([700, 20_000, HOUR, 26 * HOUR]) })],
    [4, () => ({ do: 'mood', handler: int(handlerNames.length), mood: pick(moods) })],
    [
      0.8,
      () => ({
        do: 'disk',
        fault: pick([
          'full',
          'full',
          'busy',
          'busy',
          'broken',
          'die-before',
          'die-after',
          'die-after',
        ] as const),
        after: int(6),
        times: pick([1, 1, 2, 5]),
      }),
    ],
    [0.6, () => ({ do: 'heal' })],
    [0.5, () => ({ do: 'die', tasks: int(12) })],
    [
      0.4,
      () => ({
        do: 'restart',
        graceMs: pick([0, 50, 10_000]),
        handlers: chance(0.6) ? ALL_HANDLERS : int(ALL_HANDLERS),
        otherKinds: chance(0.3),
        acceptsUnknown: chance(0.5),
      }),
    ],
    [2, () => ({ do: 'retry', which: int(50), many: pick([1, 1, 3, 100]), beside: chance(0.3) })],
    [1, () => ({ do: 'discard', which: int(50), many: pick([1, 1, 3]), beside: chance(0.3) })],
    [
      1.5,
      () => ({
        do: 'pause',
        scope: int(5),
        handler: int(handlerNames.length),
        subject: int(2 * SUBJECTS),
        ms: chance(0.4) ? pick([500, 5_000, HOUR]) : null,
        beside: chance(0.3),
      }),
    ],
    [2, () => ({ do: 'resume', which: int(50), beside: chance(0.3) })],
    [
      1.2,
      () => ({
        do: 'plan',
        ...(chance(0.85)
          ? {
              action: pick(['retry', 'discard', 'replay', 'replay', 'send'] as const),
              handler: int(handlerNames.length),
              upgrade: false,
            }
          : { action: 'replay', handler: handlerNames.indexOf('loose'), upgrade: true }),
        staged: chance(0.4),
        start: chance(0.6),
        beside: chance(0.3),
      }),
    ],
    [1.2, () => ({ do: 'start', which: int(10), beside: chance(0.3) })],
    [0.3, () => ({ do: 'cancel', which: int(10) })],
    [0.8, () => ({ do: 'release', beside: chance(0.3) })],
    [0.7, () => ({ do: 'hold', subject: int(SUBJECTS) })],
    [0.3, () => ({ do: 'free', subject: int(SUBJECTS) })],
    [0.2, () => ({ do: 'erase', subject: int(SUBJECTS), beside: chance(0.4) })],
    [0.3, () => ({ do: 'prune', beside: chance(0.6) })],
    [
      0.3,
      () => ({
        do: 'rebuild',
        beside: chance(0.5),
        sent: Array.from({ length: chance(0.7) ? 2 + int(8) : 0 }, sending),
      }),
    ],
    [1, () => ({ do: 'provider', mood: pick(providerMoods) })],
    [3, () => ({ do: 'record', subject: chance(0.5) ? 0 : int(SUBJECTS), content: int(5) })],
    [1, () => ({ do: 'target', mood: pick(targetMoods) })],
    [0.5, () => ({ do: 'backup' })],
    [3, () => ({ do: 'look' })],
  ];
  const zealous = weights.map(([weight, draw], at) => {
    const factor = zeal.get(String(at)) ?? pick([0.2, 1, 1, 1, 3]);
    return [at < 3 ? weight : weight * factor, draw] as const;
  });
  const total = zealous.reduce((sum, [weight]) => sum + weight, 0);

  function content(): number {
    if (!isLong) return chance(0.6) ? int(5) : int(FEW);
    version += 1;
    return version + int(30);
  }

  function sending(): Sending {
    const record = chance(isLong ? 0.1 : 0.5) ? 'charge' : 'console-user';
    return {
      source: chance(0.7) ? 'default' : 'signed',
      record,
      subject: chance(isLong ? 0.95 : 0.5) ? 0 : int(SUBJECTS),
      content: content(),
      message: chance(0.7) ? null : int(12),
      form: chance(0.9)
        ? pick(['plain', 'plain', 'other-order'] as const)
        : pick(['invalid', 'malformed', 'wrong-proof', 'unknown-value', 'unknown-value'] as const),
    };
  }

  return () => {
    let at = random() * total;
    for (const [weight, draw] of zealous) {
      if (at < weight) return draw();
      at -= weight;
    }
    return { do: 'look' };
  };
}
