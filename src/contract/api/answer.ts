import { z } from 'zod';

/** `{data: <resource>}` (specification, Conventions 3). */
export function one<Schema extends z.ZodType>(resource: Schema) {
  return z.object({ data: resource });
}

/** `{data: [<resource>]}`: the lists below a record, which have no pages. */
export function several<Schema extends z.ZodType>(resource: Schema) {
  return z.object({ data: z.array(resource) });
}

/** A page of a list (specification, Conventions 3). */
export function pageOf<Schema extends z.ZodType>(resource: Schema) {
  return z.object({
    data: z.array(resource),
    pagination: z.object({
      page: z.int().describe('The page, from 1.'),
      size: z.int().describe('Most records on a page.'),
    }),
    total: z.int().describe('Records on all pages.'),
  });
}

/** `{data: <pre-signed address>}` of a PDF (specification, Endpoints, Traffic violations). */
export const fileAnswer = {
  status: 200,
  description: 'The address; it can be used for 15 minutes, by anybody who has it.',
  schema: one(z.string()),
} as const;

/** `{message}`: what deletions of users and console users answer (specification, Conventions 4). */
export const messageAnswer = z.object({ message: z.string() });

/** Why there is no other answer (specification, Errors). */
export const failureAnswer = z
  .object({
    error: z.string().describe('Label of the status.'),
    message: z.string().optional().describe('What is wrong. Some 404 answers have none.'),
  })
  .meta({ id: 'Failure' });
