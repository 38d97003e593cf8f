/** The ledger of erasures, as the command line and the private port show it. */
import { z } from 'zod';
import { maskText } from '../../kernel/text/scrub.ts';
import { isRunBy } from '../../privacy/ledger.ts';
import {
  contentPlaces,
  type ContentPlace,
  type ErasingProcess,
  type ErasureRecord,
} from '../../store/privacy.ts';
import { instantText, instantTextOrNull } from '../instant-text.ts';

const count = z.int().min(0);

const changedRowsSchema = z
  .object(
    Object.fromEntries(
      contentPlaces.map((place) => [place, count.optional().describe(`Rows of the place ${place}.`)]),
    ) as Record<ContentPlace, z.ZodOptional<typeof count>>,
  )
  .describe('The rows that it changed, by place; a place without any is left out.');

export const ledgerSchema = z
  .object({
    id: z.string().describe('`x` and a number.'),
    state: z
      .enum(['erasing', 'finished', 'unfinished'])
      .describe(
        '`erasing` while a process runs it. `unfinished` after an interruption: the same erasure, started again, finishes it.',
      ),
    started_at: z.iso.datetime().describe('When it began.'),
    finished_at: z.iso.datetime().nullable().describe('When every row was erased and checked.'),
    requested_by: z.string().describe('Who erased.'),
    reason: z.string().describe('Why, with likely personal data replaced.'),
    identifiers: count.describe('How many identifiers name the person.'),
    running_in: z
      .string()
      .nullable()
      .describe('The process in which it runs, host and process id; null while it does not.'),
    running_since: z.iso
      .datetime()
      .nullable()
      .describe('Since when it runs there; null if the database does not tell.'),
    runs: z
      .array(
        z.object({
          started_at: z.iso.datetime().describe('When it began.'),
          process: z.string().describe('Where it ran, host and process id.'),
          erased_rows: changedRowsSchema,
        }),
      )
      .describe('What was erased so far, the oldest run first: more than one after an interruption.'),
  })
  .meta({ id: 'Erasure', description: 'A line of the ledger of erasures.' });

export type LedgerView = z.infer<typeof ledgerSchema>;

/** A line of the ledger as the command line shows it, with the reason as it was given. */
export type ErasureView = Omit<LedgerView, 'state'>;

/** @param holder the process that erases now, as the store names it */
export function erasureView(erasure: ErasureRecord, holder: ErasingProcess | null): ErasureView {
  const isRunning = isRunBy(erasure, holder);
  return {
    id: erasure.id,
    started_at: instantText(erasure.startedAt),
    finished_at: instantTextOrNull(erasure.finishedAt),
    requested_by: erasure.requestedBy,
    reason: erasure.reason,
    identifiers: erasure.identifiers.length,
    running_in: isRunning ? (holder?.process ?? null) : null,
    running_since: isRunning ? instantTextOrNull(holder?.since ?? null) : null,
    runs: erasure.runs.map(({ startedAt, process, rows }) => ({
      started_at: instantText(startedAt),
      process,
      erased_rows: rows,
    })),
  };
}

/**
 * An erasure as those see it who may view.
 *
 * @param holder the process that erases now, as the store names it
 */
export function ledgerView(erasure: ErasureRecord, holder: ErasingProcess | null): LedgerView {
  const view = erasureView(erasure, holder);
  const unfinished = view.running_in === null ? 'unfinished' : 'erasing';
  return {
    ...view,
    reason: maskText(erasure.reason),
    state: erasure.finishedAt === null ? unfinished : 'finished',
  };
}
