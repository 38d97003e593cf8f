/** How a source answers: the success of its choice, handshakes before verification, and GET. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Handshake, HandshakeResponse, SourceFields } from '../contract/source-fields.ts';
import { copiedRequest, type RawDelivery } from '../event/delivery.ts';
import { equalsAny, fingerprint } from '../kernel/equal-secrets.ts';
import { startDeadline } from '../kernel/http/deadline.ts';
import { errorResponse, type HttpResponse } from '../kernel/http/server/json-response.ts';
import { isJsonObject, jsonOf } from '../kernel/json/json.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { challengeResponse, NOT_SNIFFED, TEXT, type WebhookResponse } from './responses.ts';

/** What a source answers in its own way. Most sources have none. */
export interface SourceAnswers {
  readonly takesGet: boolean;
  /** Whether paths below the source's own reach it. */
  readonly subpaths: boolean;
  /** Answers a request that is no webhook, before it is verified; null when nothing is one. */
  readonly greet: ((delivery: RawDelivery) => Promise<HttpResponse | undefined>) | null;
  /** Replaces a success by the one that the sender takes, and says in a 401 how to sign in. */
  respond(response: WebhookResponse): WebhookResponse;
}

/** RFC 9110, section 11.6.1: a 401 names the scheme. */
const BASIC = 'Basic realm="webhooks", charset="UTF-8"';

/** Milliseconds for a function of the handshake: the sender waits. */
const HANDSHAKE_TIMEOUT_MS = 5_000;

/**
 * Returns null for a source that answers as Portaria does by itself.
 *
 * @param secrets those of the source's verification that only the sender knows
 * @param isBasic whether the sender signs in by HTTP's basic authentication
 */
export function createSourceAnswers(
  fields: SourceFields,
  {
    secrets,
    isBasic,
    clock,
  }: { readonly secrets: readonly string[]; readonly isBasic: boolean; readonly clock: Clock },
): SourceAnswers | null {
  const { respond, handshake, answersGet = false, subpaths = false } = fields;
  const greetsGet = handshake === 'meta' || typeof handshake === 'function';
  const takesGet = answersGet || greetsGet;
  const greets = greetsGet || answersGet || handshake === 'microsoft';
  if (respond === undefined && !greets && !subpaths && !isBasic) return null;
  const known = secrets.map((secret) => fingerprint(secret));

  async function handshakeOf(delivery: RawDelivery): Promise<HttpResponse | undefined> {
    if (typeof handshake === 'function') return answerBy(handshake, delivery, clock);
    if (handshake === 'meta') return metaAnswer(delivery, known);
    return handshake === 'microsoft' ? microsoftAnswer(delivery) : undefined;
  }

  async function greet(delivery: RawDelivery): Promise<HttpResponse | undefined> {
    const answer = await handshakeOf(delivery);
    if (answer !== undefined || delivery.method === 'POST') return answer;
    if (answersGet) return { status: 200, body: { status: 'ok' }, headers: {} };
    return errorResponse(405, 'The address takes POST, and GET for its handshake alone', { allow: 'POST' });
  }

  const body = respond?.body;
  const isText = typeof body === 'string';
  const headers = isText ? { 'content-type': isJson(body) ? 'application/json' : TEXT } : {};
  return {
    takesGet,
    subpaths,
    greet: greets ? greet : null,
    respond(response) {
      if (isBasic && response.status === 401)
        return { ...response, headers: { ...response.headers, 'www-authenticate': BASIC } };
      if (respond === undefined || response.status >= 300 || response.result === 'handshake') return response;
      const status = respond.accepted ?? response.status;
      if (status === 204 || status === 205) return { ...response, status, body: null };
      return body === undefined ? { ...response, status } : { ...response, status, body, headers };
    },
  };
}

/** GET with `hub.mode=subscribe`, as WhatsApp, Instagram and WebSub hubs send it. */
function metaAnswer(
  { method, query = {}, repeatedQuery = [] }: RawDelivery,
  known: Parameters<typeof equalsAny>[1],
): HttpResponse | undefined {
  const { 'hub.mode': mode, 'hub.verify_token': token = '', 'hub.challenge': challenge = '' } = query;
  if (method === 'POST' || mode !== 'subscribe') return undefined;
  // Counted and logged as webhooks without proof are: it is a guess.
  if (!equalsAny(fingerprint(token), known) || repeatedQuery.length > 0)
    throw new PortariaError('not-verified', 'hub.verify_token is not a secret of this source', {
      reason: 'mismatch',
    });
  return challengeResponse(challenge);
}

/** POST with `validationToken`, as Microsoft Graph sends it for a new subscription. */
function microsoftAnswer({ method, query, repeatedQuery, body }: RawDelivery): HttpResponse | undefined {
  const token = query?.['validationToken'];
  // A notification has a body, whatever its address has.
  if (method !== 'POST' || token === undefined || body.length > 0) return undefined;
  return challengeResponse(repeatedQuery?.includes('validationToken') === true ? '' : token);
}

async function answerBy(
  handshake: Handshake,
  delivery: RawDelivery,
  clock: Clock,
): Promise<HttpResponse | undefined> {
  const { source, repeatedQuery: [repeated] = [] } = delivery;
  if (repeated !== undefined)
    return errorResponse(400, `The query parameter ${repeated} was sent more than once; send it once`);
  const deadline = startDeadline(clock, HANDSHAKE_TIMEOUT_MS);
  try {
    const answer: unknown = await deadline.race(handshake(copiedRequest(delivery)));
    if (answer === undefined || answer === null || answer === false) return undefined;
    if (isJsonObject(answer)) return checkedAnswer(answer, source);
    throw invalidAnswer(source, 'neither an answer nor undefined');
  } finally {
    deadline.end();
  }
}

function checkedAnswer(
  { status = 200, body = '', headers = {} }: HandshakeResponse,
  source: string,
): HttpResponse {
  const isValid = Number.isInteger(status) && status >= 200 && status <= 599;
  if (!isValid) throw invalidAnswer(source, 'no status from 200 to 599');
  const isText = typeof body === 'string';
  const text = isText ? body : jsonOf(body);
  if (text === undefined) throw invalidAnswer(source, 'a body that is neither a text nor JSON');
  if (!isJsonObject(headers)) throw invalidAnswer(source, 'headers that are no object');
  const checked: Record<string, string> = { 'content-type': isText ? TEXT : 'application/json' };
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeader(name, value) || OF_THE_SERVER.has(name.toLowerCase()))
      throw invalidAnswer(source, `the header ${JSON.stringify(name)}, which cannot be sent`);
    checked[name.toLowerCase()] = value;
  }
  return {
    status,
    body: WITHOUT_BODY.has(status) || (body as unknown) === null ? null : text,
    headers: { ...checked, ...NOT_SNIFFED },
  };
}

/** What the server says of the connection and the length. */
const OF_THE_SERVER = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade']);

/** RFC 9110: no such response has a body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

function invalidAnswer(source: string, what: string): Error {
  return new Error(`the handshake of source ${source} returned ${what}`);
}

function isHeader(name: string, value: unknown): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value as string);
    return typeof value === 'string';
  } catch {
    return false;
  }
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
