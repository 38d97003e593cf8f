import type { Context } from 'hono';
import type { BodyType } from '../../contract/api/endpoint.ts';
import { Refusal } from './refusal.ts';

const JSON_TYPE = /^application\/json\s*(;|$)/iu;
const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/iu;

/**
 * The body as the value that it says, unchecked. The fields of a form are texts;
 * where a form is taken, JSON is, too (specification, Conventions 2).
 *
 * @throws Refusal 400 when it cannot be read, 415 when it is of another type.
 */
export async function readBody(c: Context, type: BodyType): Promise<unknown> {
  const sent = c.req.header('content-type') ?? '';
  if (JSON_TYPE.test(sent)) return readJson(c);
  if (type === 'form' && FORM_TYPE.test(sent)) return readForm(c);
  const wanted = type === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  throw new Refusal(415, `Send the body as content-type: ${wanted}`);
}

async function readJson(c: Context): Promise<unknown> {
  const text = await c.req.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Refusal(400, 'The body is not JSON');
  }
}

/** A field that comes twice is a list, which no schema takes. */
async function readForm(c: Context): Promise<unknown> {
  try {
    return await c.req.parseBody({ all: true });
  } catch {
    throw new Refusal(400, 'The body is not a form');
  }
}
