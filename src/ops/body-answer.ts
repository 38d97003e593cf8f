import type { Context } from 'hono';
import { z } from 'zod';

/** Bytes cannot be masked, so they are shown only to who asks for personal data. */
export const bodyQuery = z.strictObject({
  unmask: z
    .literal('true', 'The body is shown as it is, personal data and all: ask for it with unmask=true')
    .describe('Bytes cannot be masked; say that you want them as they are.'),
});

/** The answer in the OpenAPI document. */
export const wholeBody = {
  description: 'The bytes.',
  content: { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } },
};

/** Strangers wrote these bytes: no browser is to make anything of them. */
export function sendBody(c: Context, body: Uint8Array): Response {
  c.header('content-type', 'application/octet-stream');
  c.header('content-disposition', 'attachment');
  return c.body(new Uint8Array(body));
}
