/** Reads request bodies as JSON or forms. */
import type { Context } from 'hono';
import type { BodyType } from '../../src/contract/api/endpoint.ts';
import { HttpError } from './http-error.ts';

const JSON_TYPE = /^application\/json\s*(;|$)/iu;
const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/iu;

/**
 * Parses the body of a request without validating it. The fields of a form are strings.
 * Endpoints that accept forms also accept JSON (specification, Conventions 2).
 *
 * @throws HttpError 400 when the body cannot be parsed; 415 for another content type.
 */
export async function readBody(c: Context, type: BodyType): Promise<unknown> {
  const sent = c.req.header('content-type') ?? '';
  if (sent === '' && (await isEmptyBody(c))) throw new HttpError(400, 'The request has no body');
  if (JSON_TYPE.test(sent)) return readJson(c);
  if (type === 'form' && FORM_TYPE.test(sent)) return readForm(c);
  const wanted = type === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  throw new HttpError(415, `Send the body as content-type: ${wanted}`);
}

export async function isEmptyBody(c: Context): Promise<boolean> {
  return (await bytesOf(c)).byteLength === 0;
}

/** A client that disconnects in the middle of a body is not a defect of the provider. */
async function bytesOf(c: Context): Promise<ArrayBuffer> {
  try {
    return await c.req.arrayBuffer();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    throw new HttpError(400, 'The body is incomplete');
  }
}

async function readJson(c: Context): Promise<unknown> {
  const bytes = await bytesOf(c);
  try {
    const text = utf8.decode(bytes);
    return JSON.parse(text, ESCAPED_SURROGATE.test(text) ? rejectLoneSurrogates : undefined) as unknown;
  } catch {
    throw new HttpError(400, 'The body is not JSON');
  }
}

/** Rejects invalid UTF-8 instead of replacing it. */
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Matches an escaped surrogate. A lone one would be replaced when it is stored. */
const ESCAPED_SURROGATE = /\\u[Dd][89A-Fa-f]/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

function rejectLoneSurrogates(name: string, value: unknown): unknown {
  for (const each of [name, value])
    if (typeof each === 'string' && LONE_SURROGATE.test(each)) throw new SyntaxError('lone surrogate');
  return value;
}

/** A repeated field becomes an array, which no schema accepts. */
async function readForm(c: Context): Promise<unknown> {
  try {
    return await c.req.parseBody({ all: true });
  } catch {
    throw new HttpError(400, 'The body is not a form');
  }
}
