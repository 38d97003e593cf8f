import { z } from 'zod';

/** The largest page (specification, Limits). */
const MAX_PAGE = 100;

/** Which part of a list; pages count from 1. */
export interface Page {
  readonly page: number;
  readonly size: number;
}

/** Where a list starts when nothing is asked for: the specification shows it for appeals only. */
export const firstPage: Page = { page: 1, size: 25 };

const wholeNumber = (most: number) =>
  z
    .string({ error: 'expected one whole number' })
    .regex(/^\d{1,15}$/, { error: 'expected a whole number' })
    .transform(Number)
    .pipe(
      z
        .int()
        .min(1, { error: 'expected 1 or more' })
        .max(most, { error: `expected ${String(most)} or less` }),
    );

export const pageNumber = wholeNumber(Number.MAX_SAFE_INTEGER);
export const pageSize = wholeNumber(MAX_PAGE);

/** `pagination[page]` and `pagination[size]` (specification, Conventions 5). */
export const pageParameters = {
  'pagination[page]': pageNumber.optional().describe('The first page is 1.'),
  'pagination[size]': pageSize.optional().describe(`Records on a page, at most ${String(MAX_PAGE)}.`),
};
