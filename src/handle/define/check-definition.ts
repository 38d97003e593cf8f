/** Checks what is given to `defineHandler` and `defineMachine`, and lists every mistake. */
import { z } from 'zod';
import {
  checkDefinition,
  fields,
  isNonEmpty,
  milliseconds,
  mustBe,
  wholeNumber,
} from '../../contract/check-fields.ts';
import { isKindDefinition } from '../kinds/kind-definition.ts';
import { hasMark, transactionMark } from './marks.ts';
import type { Patterns } from './patterns.ts';
import { rateSchema } from './rate.ts';
import { toJson } from './to-json.ts';
import type { Transaction } from './transaction.ts';

/**
 * Checks the argument of `defineHandler`.
 *
 * @throws PortariaError `handler-invalid`; its message and `problems` list every mistake.
 */
export function checkHandler(definition: unknown): void {
  checkDefinition('handler', handlerSchema, definition, nameOf(definition));
}

/**
 * Checks the argument of `defineMachine`.
 *
 * @throws PortariaError `handler-invalid`; its message and `problems` list every mistake.
 */
export function checkMachine(definition: unknown): void {
  checkDefinition('machine', machineSchema, definition, nameOf(definition));
}

// Not aborting, so that the names of effects are checked beside their functions.
const functionSchema = z.custom((value) => typeof value === 'function', {
  ...mustBe('a function'),
  abort: false,
});
const nonEmptyString = z.custom((value) => isNonEmpty(value), mustBe('a non-empty string'));

const patternsSchema = z.custom<Patterns>((value) => {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((pattern) => typeof pattern === 'string' || isKindDefinition(pattern));
}, mustBe('a kind, a wildcard, the result of defineKind, or a list of at least one'));

const retrySchema = fields({
  attempts: wholeNumber(1).optional(),
  baseMs: milliseconds(0).optional(),
  maxMs: milliseconds(0).optional(),
}).superRefine(({ baseMs, maxMs }, context) => {
  if (baseMs === undefined || maxMs === undefined || maxMs >= baseMs) return;
  const message = `is ${String(maxMs)}: it must be at least retry.baseMs, ${String(baseMs)}`;
  context.addIssue({ code: 'custom', path: ['maxMs'], message });
});

const commonFields = {
  name: z.custom(
    (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9-]*$/.test(value),
    mustBe('lower-case letters, digits and dashes, the first not a dash'),
  ),
  on: patternsSchema,
  retry: retrySchema.optional(),
  timeoutMs: milliseconds(1).optional(),
  breaker: fields({
    failures: wholeNumber(1).optional(),
    subjects: wholeNumber(1).optional(),
    giveUps: wholeNumber(1).optional(),
  }).optional(),
  afterDeadLetter: z.enum(['continue', 'hold'], mustBe('"continue" or "hold"')).optional(),
  trace: z.enum(['link', 'child'], mustBe('"link" or "child"')).optional(),
  rate: rateSchema.optional(),
  transaction: z
    .custom<Transaction<unknown>>(
      (value) => hasMark(value, transactionMark),
      mustBe('the result of pgTransaction, kyselyTransaction or sqliteTransaction'),
    )
    .optional(),
  onReplay: z.enum(['once', 'again'], mustBe('"once" or "again"')).optional(),
};

interface InOwnTransaction {
  readonly transaction?: Transaction<unknown> | undefined;
  readonly onReplay?: string | undefined;
}

/** An async function would go on after the transaction of a synchronous driver has ended. */
function checkTransaction(
  { transaction, onReplay }: InOwnTransaction,
  functions: readonly (readonly [path: readonly string[], code: unknown])[],
  context: z.RefinementCtx,
): void {
  if (transaction === undefined && onReplay !== undefined) {
    const message = 'needs a transaction: without one, look at `replay` in the context';
    context.addIssue({ code: 'custom', path: ['onReplay'], message });
  }
  if (transaction?.isSynchronous !== true) return;
  for (const [path, code] of functions) {
    if (!(code instanceof AsyncFunction)) continue;
    const message =
      'is async: a transaction of SQLite ends with the call, so it must be a synchronous function';
    context.addIssue({ code: 'custom', path: [...path], message });
  }
}

const AsyncFunction = (async () => {}).constructor as new () => unknown;

const handlerSchema = fields({
  ...commonFields,
  order: z
    .enum(['subject', 'latest', 'handler', 'none'], mustBe('"subject", "latest", "handler" or "none"'))
    .optional(),
  quietMs: milliseconds(1).optional(),
  maxWaitMs: milliseconds(1).optional(),
  stale: z.boolean(mustBe('true or false')).optional(),
  strictValues: z.boolean(mustBe('true or false')).optional(),
  handle: functionSchema,
}).superRefine(({ order, afterDeadLetter, handle, quietMs, maxWaitMs, stale, ...own }, context) => {
  checkTransaction(own, [[['handle'], handle]], context);
  checkLatest({ order, quietMs, maxWaitMs, stale }, context);
  if (order !== 'none' || afterDeadLetter !== 'hold') return;
  const message = 'is "hold": with order "none" no delivery waits for another: choose another order';
  context.addIssue({ code: 'custom', path: ['afterDeadLetter'], message });
});

interface LatestOptions {
  readonly order?: string | undefined;
  readonly quietMs?: number | undefined;
  readonly maxWaitMs?: number | undefined;
  readonly stale?: boolean | undefined;
}

function checkLatest({ order, quietMs, maxWaitMs, stale }: LatestOptions, context: z.RefinementCtx): void {
  const reject = (field: string, message: string): void => {
    context.addIssue({ code: 'custom', path: [field], message });
  };
  if (order !== 'latest') {
    if (quietMs !== undefined) reject('quietMs', 'needs the order "latest"');
    if (maxWaitMs !== undefined) reject('maxWaitMs', 'needs the order "latest"');
    return;
  }
  if (stale === true) reject('stale', 'is true: with the order "latest" only the newest event runs');
  if (maxWaitMs === undefined) return;
  if (quietMs === undefined) reject('maxWaitMs', 'needs quietMs, whose wait it bounds');
  else if (maxWaitMs < quietMs)
    reject('maxWaitMs', `is ${String(maxWaitMs)}: it must be at least quietMs, ${String(quietMs)}`);
}

const effectSchema = fields(
  { when: functionSchema, run: functionSchema },
  'an object with the functions when and run',
);

const tableSchema = fields(
  {
    initial: nonEmptyString,
    transitions: z.array(
      fields({ from: nonEmptyString, on: nonEmptyString, to: nonEmptyString }, 'an object {from, on, to}'),
      mustBe('a list of {from, on, to}'),
    ),
  },
  'an object, or null',
);

const machineSchema = fields({
  ...commonFields,
  initial: z.unknown().superRefine((initial, context) => {
    const message = initial === undefined ? 'is missing: it must be a JSON value' : jsonProblem(initial);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }),
  evolve: functionSchema,
  anomalies: functionSchema.optional(),
  effects: z
    .object({}, mustBe('an object of effects by name'))
    .catchall(effectSchema.optional())
    .superRefine(checkEffectNames, { when: () => true })
    .optional(),
  table: tableSchema.nullish(),
}).superRefine(({ effects, ...own }, context) => {
  const runs = Object.entries(effects ?? {}).map(([name, effect]) => {
    const { run } = (effect ?? {}) as { readonly run?: unknown };
    return [['effects', name, 'run'], run] as const;
  });
  checkTransaction(own, runs, context);
});

function checkEffectNames(effects: unknown, context: z.RefinementCtx): void {
  for (const [name, effect] of Object.entries(effects ?? {})) {
    if (effect === undefined || /^[a-z0-9][a-z0-9_-]*$/i.test(name)) continue;
    const message = 'must be named with letters, digits, dashes and underscores';
    context.addIssue({ code: 'custom', path: [name], message });
  }
}

function jsonProblem(value: unknown): string | undefined {
  try {
    toJson(value, 'it');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'must be JSON';
  }
}

function nameOf(definition: unknown): unknown {
  return ((definition ?? {}) as { readonly name?: unknown }).name;
}
