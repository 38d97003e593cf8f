/** How a source answers: the success of its choice, handshakes before verification, and GET. */
import type { Handshake, HandshakeResponse, SourceFields } from '../contract/source-fields.ts';
import { copiedRequest, type RawDelivery } from '../event/delivery.ts';
import { equalsAny, fingerprint } from '../kernel/equal-secrets.ts';
import { startDeadline } from '../kernel/http/deadline.ts';
import { errorResponse, type HttpResponse } from '../kernel/http/server/json-response.ts';
import { isJsonObject } from '../kernel/json/json.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { challengeResponse, NOT_SNIFFED, TEXT, type WebhookResponse } from './responses.ts';

/** What a source answers in its own way. Most sources have none. */
export interface SourceAnswers {
  readonly takesGet: boolean;
  /** Whether paths below the source's own reach it. */
  readonly subpaths: boolean;
  /** Answers a request that is no webhook, before it is verified; null when nothing is one. */
  readonly greet: ((delivery: RawDelivery) => Promise<HttpResponse | undefined>) | null;
  /** Replaces a success by the one that the sender takes. */
  respond(response: WebhookResponse): WebhookResponse;
}

/** Milliseconds for a function of the handshake: the sender waits. */
const HANDSHAKE_TIMEOUT_MS = 5_000;

/**
 * Returns null for a source that answers as Portaria does by itself.
 *
 * @param secrets those of the source's verification
 */
export function createSourceAnswers(
  fields: SourceFields,
  { secrets, clock }: { readonly secrets: readonly string[]; readonly clock: Clock },
): SourceAnswers | null {
  const { respond, handshake, answersGet = false, subpaths = false } = fields;
  const greetsGet = handshake === 'meta' || typeof handshake === 'function';
  const takesGet = answersGet || greetsGet;
  const greets = greetsGet || answersGet || handshake === 'microsoft';
  if (respond === undefined && !greets && !subpaths) return null;
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
  if (!equalsAny(fingerprint(token), known) || repeatedQuery.length > 0)
    return errorResponse(403, 'hub.verify_token is not a secret of this source');
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
  const { source } = delivery;
  const deadline = startDeadline(clock, HANDSHAKE_TIMEOUT_MS);
  try {
    const answer: unknown = await deadline.race(handshake(copiedRequest(delivery)));
    if (answer === undefined || answer === null || answer === false) return undefined;
    if (isJsonObject(answer)) return checkedAnswer(answer, source);
    throw new Error(`the handshake of source ${source} returned neither an answer nor undefined`);
  } finally {
    deadline.end();
  }
}

function checkedAnswer(
  { status = 200, body = '', headers = {} }: HandshakeResponse,
  source: string,
): HttpResponse {
  const isValid = Number.isInteger(status) && status >= 200 && status <= 599;
  if (!isValid) throw new Error(`the handshake of source ${source} returned no status from 200 to 599`);
  const type = typeof body === 'string' ? { 'content-type': TEXT } : {};
  return { status, body: status === 204 ? null : body, headers: { ...type, ...headers, ...NOT_SNIFFED } };
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
