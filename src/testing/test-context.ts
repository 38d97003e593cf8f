/** The context that tests give to handlers. */
import type { HandlerContext } from '../handle/define/handler-context.ts';
import type { Logger } from '../kernel/logger.ts';
import { SAMPLE_TIME } from './test-event.ts';

/** One call of `context.log`. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

/** A handler's context that also records log entries. */
export interface TestContext extends HandlerContext {
  /** The entries that the handler has logged, including those of child loggers. */
  readonly logged: readonly LogEntry[];
}

/**
 * Returns the context of a first attempt, without a client:
 * `await handler.handle(event, testContext({ attempt: 3 }));`
 *
 * @param overrides replace single fields; with `tx`, a handler that has a transaction can be called without it
 */
export function testContext(
  overrides: Partial<HandlerContext> & { readonly tx?: unknown } = {},
): TestContext {
  const logged: LogEntry[] = [];
  return {
    attempt: 1,
    replay: false,
    signal: new AbortController().signal,
    log: recorder(logged, {}),
    idempotencyKey: 'sample-1/test',
    client: null,
    traceparent: null,
    receivedAt: SAMPLE_TIME,
    ...overrides,
    logged,
  };
}

function recorder(logged: LogEntry[], inherited: object): Logger {
  const at = (level: LogEntry['level']) => (fields: object, message: string) => {
    logged.push({ level, fields: { ...inherited, ...fields }, message });
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => recorder(logged, { ...inherited, ...fields }),
  };
}
