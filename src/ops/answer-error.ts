import type { ErrorHandler, NotFoundHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { PortariaError, type ErrorCode } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { scrub } from '../telemetry/scrub.ts';
import type { Failure } from './failure.ts';
import { httpStatus } from './http-status.ts';

const labels: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
};

/** Answers what a route threw. What is not Portaria's own is a defect: it is logged, and its text stays inside. */
export function answerError(log: Logger): ErrorHandler {
  return (error, c) => {
    if (PortariaError.is(error)) {
      const [status, label] = httpStatus(error.code);
      const issues = error.problems.map(({ where, message }) => ({ path: where, message }));
      const ownWords = storeWords(error.code);
      const message = ownWords ?? error.message;
      const failure: Failure = { error: label, message, ...(issues.length > 0 && { issues }) };
      if (status === 503) c.header('retry-after', '1');
      if (ownWords !== undefined)
        log.warn({ method: c.req.method, path: c.req.path, ...defect(error) }, 'the store did not answer');
      return c.json(failure, status);
    }
    if (error instanceof HTTPException) {
      const label = labels[error.status] ?? 'Error';
      return c.json({ error: label, message: error.message || label } satisfies Failure, error.status);
    }
    log.error(
      { method: c.req.method, path: c.req.path, ...defect(error) },
      'the private port failed at a request',
    );
    return c.json(
      { error: 'Internal Server Error', message: 'Something unexpected failed' } satisfies Failure,
      500,
    );
  };
}

/** What a failure of the store is answered: its own message names files and quotes statements. */
function storeWords(code: ErrorCode): string | undefined {
  if (code === 'store-busy') return 'The store is busy; try again';
  if (code === 'store-full') return 'The disk is full; make room and try again';
  return code.startsWith('store-') ? 'The store could not be read; the log says why' : undefined;
}

export const answerNotFound: NotFoundHandler = (c) =>
  c.json(
    {
      error: 'Not Found',
      message: `There is no ${c.req.method} ${c.req.path}; /openapi.json lists what there is`,
    } satisfies Failure,
    404,
  );

/** The text may quote a payload, so it is scrubbed; where it was thrown may not. */
function defect(error: Error): object {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /u.test(line));
  return { reason: scrub(`${error.name}: ${error.message}`), stack: frames.join('\n') };
}
