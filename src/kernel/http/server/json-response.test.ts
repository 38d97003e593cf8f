import { expect, test } from 'vitest';
import { errorResponse } from './json-response.ts';

test.each([
  [401, 'Unauthorized'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [408, 'Request Timeout'],
  [413, 'Payload Too Large'],
  [415, 'Unsupported Media Type'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
])('an error response of status %i is labelled %s', (status, error) => {
  expect(errorResponse(status, 'Why').body).toEqual({ error, message: 'Why' });
});
