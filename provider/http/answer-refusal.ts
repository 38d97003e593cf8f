import type { ErrorHandler } from 'hono';
import type { Logger } from '../../src/kernel/logger.ts';
import { Refusal } from './refusal.ts';

/** Answers what a route threw. What is no refusal is a defect: it is logged, and its text stays inside. */
export function answerRefusal(log: Logger): ErrorHandler {
  return (error, c) => {
    if (error instanceof Refusal) return c.json(error.toJSON(), error.status, error.headers);
    log.error({ method: c.req.method, route: c.req.path, err: error }, 'the provider failed at a request');
    return c.json({ error: 'Internal Server Error', message: 'Something unexpected failed' }, 500);
  };
}
