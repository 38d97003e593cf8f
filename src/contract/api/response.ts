/** The forms that the provider's responses have. */
import { z } from 'zod';

/** The body `{data: <resource>}` (specification, Conventions 3). */
export function one<Schema extends z.ZodType>(resource: Schema) {
  return z.object({ data: resource });
}

/** The body `{data: [<resource>]}` of the lists below a record, which have no pages. */
export function several<Schema extends z.ZodType>(resource: Schema) {
  return z.object({ data: z.array(resource) });
}

/** The body of a list page (specification, Conventions 3). */
export function pageOf<Schema extends z.ZodType>(resource: Schema) {
  return z.object({
    data: z.array(resource),
    pagination: z.object({
      page: z.int().describe('The page, from 1.'),
      size: z.int().describe('The maximum number of records on a page.'),
    }),
    total: z.int().describe('Records on all pages.'),
  });
}

/** `{data: <pre-signed URL>}` of a PDF (specification, Endpoints, Traffic violations). */
export const fileResponse = {
  status: 200,
  description: 'The URL of the file. Anybody who has it can use it for 15 minutes.',
  schema: one(z.string()),
} as const;

/** The body `{message}` of deleted users and console users (specification, Conventions 4). */
export const messageBody = z.object({ message: z.string() });

/** The body of every error response (specification, Errors). */
export const errorBody = z
  .object({
    error: z.string().describe('Label of the status.'),
    message: z.string().optional().describe('What is wrong. Some 404 responses have none.'),
  })
  .meta({ id: 'Failure' });
