/** Pages of lists in the provider's API. */
import { z } from 'zod';

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
