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

/** The maximum page size (specification, Limits). */
const MAX_PAGE_SIZE = 100;

/** One page of a list. `page` counts from 1. */
export interface Page {
  readonly page: number;
  readonly size: number;
}

/** The page of a request without page parameters. The specification gives this default for appeals only. */
export const firstPage: Page = { page: 1, size: 25 };

const wholeNumber = (max: number) =>
  z
    .string({ error: 'expected one whole number' })
    .regex(/^\d{1,15}$/, { error: 'expected a whole number' })
    .transform(Number)
    .pipe(
      z
        .int()
        .min(1, { error: 'expected 1 or more' })
        .max(max, { error: `expected ${String(max)} or less` }),
    );

export const pageNumber = wholeNumber(Number.MAX_SAFE_INTEGER);
export const pageSize = wholeNumber(MAX_PAGE_SIZE);

/** The query parameters `pagination[page]` and `pagination[size]` (specification, Conventions 5). */
export const pageParameters = {
  'pagination[page]': pageNumber.optional().describe('The first page is 1.'),
  'pagination[size]': pageSize.optional().describe(`Records on a page, at most ${String(MAX_PAGE_SIZE)}.`),
};
