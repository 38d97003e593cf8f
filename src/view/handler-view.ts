/** Handlers and their kinds, as command line, API and console show them. */
import { z } from 'zod';
import type { Handler } from '../handle/define/handler.ts';
import type { Machine } from '../handle/define/machine.ts';
import type { Rate } from '../handle/load/rates.ts';
import type { Registry } from '../handle/load/registry.ts';

const transitionsSchema = z
  .object({
    initial: z.string().describe('The phase before any event.'),
    transitions: z
      .array(
        z.object({
          from: z.string().describe('The phase before.'),
          on: z.string().describe('The event or status that triggers it.'),
          to: z.string().describe('The phase after.'),
        }),
      )
      .describe('All possible transitions.'),
  })
  .nullable()
  .describe('A machine’s transition table; null without one.');

export const handlerSchema = z
  .object({
    name: z.string().describe('The handler name of its deliveries.'),
    type: z.enum(['handler', 'machine']).describe('A machine also keeps a state for each subject.'),
    on: z.array(z.string()).describe('Kinds and wildcards that it receives.'),
    order: z
      .enum(['subject', 'latest', 'handler', 'none'])
      .describe(
        'What runs one at a time: events of a subject, the newest of a subject, all of the handler, or nothing.',
      ),
    stale: z.boolean().describe('Whether it receives events older than the latest of their subject.'),
    attempts: z.int().min(1).describe('The maximum number of attempts.'),
    timeout_ms: z.number().min(0).describe('The timeout of an attempt, in milliseconds.'),
    after_dead_letter: z
      .enum(['continue', 'hold'])
      .describe('Whether a lane continues behind a dead letter, or waits for an operator.'),
    rate: z.string().nullable().describe('How often it is called at most: `60 per minute, burst 10`.'),
    effects: z
      .array(z.string())
      .describe('A machine’s effects; their deliveries have the handler name `<name>/effects`.'),
    moves: transitionsSchema,
  })
  .meta({ id: 'Handler', description: 'A handler or machine of this process.' });

export type HandlerView = z.infer<typeof handlerSchema>;

export function handlerView(definition: Handler | Machine, rate: Rate | undefined): HandlerView {
  const { name, type, on, retry, timeoutMs, afterDeadLetter } = definition;
  const shared = {
    ...{ name, type, on: [...on], attempts: retry.attempts, timeout_ms: timeoutMs },
    after_dead_letter: afterDeadLetter,
    rate: rate
      ? `${String(rate.limit)} per ${rate.per}${rate.burst > 1 ? `, burst ${String(rate.burst)}` : ''}`
      : null,
  };
  if (definition.type === 'handler') {
    return { ...shared, order: definition.order, stale: definition.stale, effects: [], moves: null };
  }
  const { table, effects } = definition;
  return {
    ...shared,
    // Machines are folds: one subject at a time, and stale events belong in its history.
    order: 'subject',
    stale: true,
    effects: effects.map((effect) => effect.name),
    moves: table && { initial: table.initial, transitions: table.transitions.map((move) => ({ ...move })) },
  };
}

export const coverageSchema = z
  .object({
    kind: z.string().describe('A kind of the contract.'),
    covered: z.boolean().describe('Whether any handler or machine receives it.'),
    handlers: z.array(z.string()).describe('The handlers and machines that receive it.'),
  })
  .meta({ id: 'Coverage', description: 'The handlers of a kind.' });

export type CoverageView = z.infer<typeof coverageSchema>;

export function coverageView(row: ReturnType<Registry['coverage']>[number]): CoverageView {
  return { kind: row.kind, covered: row.handlers.length > 0, handlers: [...row.handlers] };
}
