/** The error responses of the private port. */
import type { ErrorHandler, NotFoundHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { PortariaError, type ErrorCode } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { scrub } from '../kernel/text/scrub.ts';
import type { ErrorBody } from './responses.ts';

/** Responds to an error that a route threw. Unexpected errors are logged, and their text stays inside. */
export function handleError(log: Logger): ErrorHandler {
  return (error, c) => {
    const about = { method: c.req.method, path: c.req.path };
    if (PortariaError.is(error)) {
      const [status, label] = httpStatus(error.code);
      const issues = error.problems.map(({ where, message }) => ({ path: where, message }));
      const storeMessage = storeErrorMessage(error.code);
      const message = storeMessage ?? error.message;
      if (status === 503) c.header('retry-after', '1');
      if (storeMessage !== undefined)
        log.warn({ ...about, ...loggable(error) }, 'the store failed at a read');
      return c.json(
        { error: label, message, ...(issues.length > 0 && { issues }) } satisfies ErrorBody,
        status,
      );
    }
    if (error instanceof HTTPException) {
      const label = httpLabels[error.status] ?? 'Error';
      return c.json({ error: label, message: error.message || label } satisfies ErrorBody, error.status);
    }
    log.error({ ...about, ...loggable(error) }, 'the private port failed at a request');
    return c.json(
      {
        error: 'Internal Server Error',
        message: 'Unexpected error; the log has the details',
      } satisfies ErrorBody,
      500,
    );
  };
}

export const notFound: NotFoundHandler = (c) => {
  const message = `There is no ${c.req.method} ${c.req.path}; /openapi.json lists all routes`;
  return c.json({ error: 'Not Found', message } satisfies ErrorBody, 404);
};

const httpLabels: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
};

/** The status and its label for each error of Portaria. */
function httpStatus(code: ErrorCode): readonly [status: 400 | 404 | 409 | 500 | 503, label: string] {
  switch (code) {
    case 'invalid-argument':
    case 'erasure-refused':
      return [400, 'Bad Request'];
    case 'not-found':
    case 'unknown-source':
      return [404, 'Not Found'];
    case 'machine-conflict':
    case 'lane-locked':
      return [409, 'Conflict'];
    case 'store-full':
    case 'store-busy':
    case 'store-failed':
    case 'overloaded':
    case 'stopping':
      return [503, 'Service Unavailable'];
    case 'not-verified':
    case 'forbidden':
    case 'body-too-large':
    case 'body-incomplete':
    case 'unsupported-encoding':
    case 'store-locked':
    case 'store-corrupt':
    case 'store-read-only':
    case 'store-newer':
    case 'store-unsupported':
    case 'misconfigured':
    case 'handler-invalid':
      return [500, 'Internal Server Error'];
  }
}

/** The public message of a store error: the error's own names files and quotes SQL. */
function storeErrorMessage(code: ErrorCode): string | undefined {
  if (code === 'store-busy') return 'The store is busy or cannot be reached; try again';
  if (code === 'store-full') return 'The disk is full; make room and try again';
  return code.startsWith('store-') ? 'The store could not be read; the log says why' : undefined;
}

/** The message may quote a payload, so it is scrubbed. Stack frames cannot. */
function loggable(error: Error): object {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /u.test(line));
  return { reason: scrub(`${error.name}: ${error.message}`), stack: frames.join('\n') };
}
