import { ClientError } from './client-error.ts';

/** What the system says when no connection was made: nothing was sent. */
const unsent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * A request without an answer. `fetch failed` says nothing; what the system
 * said is underneath. Texts stay there: they may repeat the address, and with
 * it what was filtered by.
 */
export function unreachable(operation: string, cause: unknown): ClientError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = codeOf(inner);
  const why = code ?? (inner instanceof Error ? inner.name : 'the connection failed');
  return new ClientError('unreachable', `had no answer: ${why}`, {
    operation,
    cause,
    begun: code === undefined || !unsent.has(code),
  });
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
