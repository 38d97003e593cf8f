import type { ErrorCode } from '../kernel/errors.ts';

/** The private port's answer to each error of Portaria: status and label. */
export function httpStatus(code: ErrorCode): readonly [status: 400 | 404 | 409 | 500 | 503, label: string] {
  switch (code) {
    case 'invalid-argument':
      return [400, 'Bad Request'];
    case 'not-found':
    case 'unknown-source':
      return [404, 'Not Found'];
    case 'machine-conflict':
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
