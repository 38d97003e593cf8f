import { z } from 'zod';
import { failureSchema } from './failure.ts';

/** A JSON answer of an OpenAPI route. */
export function json<S extends z.ZodType>(schema: S, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

/** A page of a list. */
export function pageOf<S extends z.ZodType>(row: S) {
  return z.object({
    data: z.array(row).describe('The rows.'),
    next: z.string().nullable().describe('The `cursor` of the next page; null after the last.'),
  });
}

const failures = {
  400: json(failureSchema, 'Parameters do not fit.'),
  401: json(failureSchema, 'The token is missing or wrong.'),
  403: json(failureSchema, 'Pages of other origins, and without a token other names than loopback ones.'),
  404: json(failureSchema, 'There is none.'),
  415: json(failureSchema, 'Changes are asked for as application/json.'),
  500: json(failureSchema, 'A defect.'),
  503: json(failureSchema, 'The store does not answer now; try again.'),
};

/** Failures of every route that reads a list. */
export const listFailures = pick(400, 401, 403, 500, 503);
/** Of every route that reads one thing. */
export const showFailures = pick(400, 401, 403, 404, 500, 503);
/** Of every route that changes something. */
export const changeFailures = pick(400, 401, 403, 404, 415, 500, 503);

function pick<C extends keyof typeof failures>(...codes: C[]): Pick<typeof failures, C> {
  return Object.fromEntries(codes.map((code) => [code, failures[code]])) as Pick<typeof failures, C>;
}
