/** Entries of the audit, as command line, API and console show them. */
import { z } from 'zod';
import { auditPlaces, auditResults, type AuditCheck, type AuditEntry } from '../store/audit.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';

export const auditPlaceSchema = z
  .enum(auditPlaces)
  .describe('Where it was done; `serve` for what the process does by its settings.');

export const auditResultSchema = z
  .enum(auditResults)
  .describe('How it ended; `unfinished` when its end was not recorded.');

export const auditSchema = z
  .object({
    id: z.string().describe('`u` and a number, without gaps.'),
    at: z.iso.datetime().describe('When it began.'),
    ended_at: z.iso.datetime().nullable().describe('When a change ended; null for anything else.'),
    actor: z.string().nullable().describe('Who; null when nobody was identified.'),
    place: auditPlaceSchema,
    address: z.string().nullable().describe('The address of the client; null without a connection.'),
    action: z.string().describe('What, named as the operations of this API.'),
    subject: z.record(z.string(), z.string()).describe('The ids and filters that it concerned.'),
    unmasked: z.boolean().describe('Whether personal data was shown in plain text.'),
    reason: z.string().nullable().describe('Why, in the words of the operator.'),
    result: auditResultSchema,
    status: z.int().nullable().describe('The HTTP status of the response; null elsewhere.'),
    times: z
      .int()
      .min(1)
      .describe('How often; more than 1 for rejected requests and sign-ins that are counted together.'),
  })
  .meta({ id: 'AuditEntry', description: 'Something that an operator did.' });

export type AuditView = z.infer<typeof auditSchema>;

export function auditView(entry: AuditEntry): AuditView {
  return {
    id: entry.id,
    at: instantText(entry.at),
    ended_at: instantTextOrNull(entry.endedAt),
    actor: entry.actor,
    place: entry.place,
    address: entry.address,
    action: entry.action,
    subject: { ...entry.subject },
    unmasked: entry.unmasked,
    reason: entry.reason,
    result: entry.result,
    status: entry.status,
    times: entry.times,
  };
}

export const auditCheckSchema = z
  .object({
    whole: z.boolean().describe('Whether no entry was changed, removed or added past the chain of hashes.'),
    entries: z.int().min(0).describe('Stored entries; the begin and the end of a change are two.'),
    last: z
      .object({
        id: z.string().describe('`u` and a number.'),
        hash: z.string().describe('SHA-256 in hexadecimal.'),
      })
      .nullable()
      .describe('The last entry and its hash. Note it elsewhere: a later check can be held against it.'),
    pruned_through: z.string().nullable().describe('The last entry that retention removed.'),
    problems: z
      .array(
        z.object({
          id: z.string().describe('The entry.'),
          problem: z.string().describe('What is wrong with it.'),
        }),
      )
      .describe('The first hundred.'),
  })
  .meta({ id: 'AuditCheck', description: 'What a check of the audit found.' });

export type AuditCheckView = z.infer<typeof auditCheckSchema>;

export function auditCheckView({ entries, last, prunedThrough, problems }: AuditCheck): AuditCheckView {
  return {
    whole: problems.length === 0,
    entries,
    last: last && { ...last },
    pruned_through: prunedThrough,
    problems: problems.map((problem) => ({ ...problem })),
  };
}
