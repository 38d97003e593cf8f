import type { Context } from 'hono';
import type { BodyType } from '../../src/contract/api/endpoint.ts';
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
  if (sent === '' && (await isEmptyBody(c))) throw new Refusal(400, 'The request has no body');
  if (JSON_TYPE.test(sent)) return readJson(c);
  if (type === 'form' && FORM_TYPE.test(sent)) return readForm(c);
  const wanted = type === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  throw new Refusal(415, `Send the body as content-type: ${wanted}`);
}

export async function isEmptyBody(c: Context): Promise<boolean> {
  return (await bytesOf(c)).byteLength === 0;
}

/** A sender that goes away in the middle is no defect of the provider. */
async function bytesOf(c: Context): Promise<ArrayBuffer> {
  try {
    return await c.req.arrayBuffer();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    throw new Refusal(400, 'The body has not arrived whole');
  }
}

async function readJson(c: Context): Promise<unknown> {
  const bytes = await bytesOf(c);
  try {
    const text = utf8.decode(bytes);
    return JSON.parse(text, ESCAPED_SURROGATE.test(text) ? wholeCharacters : undefined) as unknown;
  } catch {
    throw new Refusal(400, 'The body is not JSON');
  }
}

/** What is no UTF-8 would otherwise become other text in silence, */
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** and so would an escaped surrogate without its other half, once it is stored. */
const ESCAPED_SURROGATE = /\\u[Dd][89A-Fa-f]/u;
const HALF_CHARACTER = /\p{Surrogate}/u;

function wholeCharacters(name: string, value: unknown): unknown {
  for (const text of [name, value])
    if (typeof text === 'string' && HALF_CHARACTER.test(text)) throw new SyntaxError('half a character');
  return value;
}

/** A field that comes twice is a list, which no schema takes. */
async function readForm(c: Context): Promise<unknown> {
  try {
    return await c.req.parseBody({ all: true });
  } catch {
    throw new Refusal(400, 'The body is not a form');
  }
}
