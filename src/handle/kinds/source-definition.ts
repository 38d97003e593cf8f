/** `defineSource`: sources with an envelope of their own. */
import { z } from 'zod';
import type { DefinedFields } from '../../contract/contract.ts';
import { isFunction, isHeader, isPath, isSourceName, sourceFields } from '../../contract/source-fields.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { checkDefinition, fields, mustBe } from '../../contract/check-fields.ts';
import { definedVerification, type SourceVerification } from '../../contract/source-verification.ts';
import { hasMark, sourceMark } from '../define/marks.ts';
import { readProof } from '../../verify/read-proof.ts';
import { isKindDefinition, type KindDefinition } from './kind-definition.ts';

/** Headers of a request by their names in lower case: the stored ones, and those that the source names. */
type Headers = Readonly<Record<string, string>>;

/** Where the bodies of a sender hold the kind and the payload. */
export interface EnvelopeOptions {
  /** A dotted path in the body (`event.name`), a header (`{ header: 'x-event' }`), or a function. */
  readonly type: string | { readonly header: string } | ((body: JsonValue, headers: Headers) => unknown);
  /** A dotted path in the body, `''` for the whole body, or a function. */
  readonly data: string | ((body: JsonValue) => unknown);
}

/** The argument of `defineSource`. */
export interface SourceOptions<Kinds extends readonly KindDefinition[]> extends DefinedFields {
  readonly envelope: EnvelopeOptions;
  /** Its events; the kinds belong to this source alone, and may have the names of others. */
  readonly kinds: Kinds;
  /** Default: the entry of this name in `PORTARIA_SOURCES`, which also replaces what is given here. */
  readonly verify?: SourceVerification;
  /** The environment variable with the secrets or public keys of `verify`; `<name>_FILE` may name a file instead. */
  readonly secretsFrom?: string;
  /** Names of further request headers to store, for the function `envelope.type`. */
  readonly headers?: readonly string[];
}

/** A custom source, with an envelope, a verification and kinds of its own. */
export interface SourceDefinition<Kinds extends readonly KindDefinition[] = readonly KindDefinition[]> {
  readonly type: 'source';
  readonly name: string;
  readonly kinds: Kinds;
  readonly options: Omit<SourceOptions<Kinds>, 'kinds'>;
}

const header = z.custom(isHeader, mustBe('the name of an HTTP header'));
const variable = z
  .custom(
    (value) => typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value),
    mustBe('the name of an environment variable, never a secret itself'),
  )
  .optional();

const besideProof = z.object({
  secretsFrom: variable,
  messageIdHeader: header.optional(),
  trustMessageId: z.boolean(mustBe('true or false')).optional(),
});

const optionsSchema = fields({
  envelope: fields(
    {
      type: z.custom(
        (value) =>
          isFunction(value) ||
          isPath(value) ||
          isHeader((value as { readonly header?: unknown } | null)?.header),
        mustBe('a dotted path such as "event.name", { header: "x-event" }, or a function'),
      ),
      data: z.custom(
        (value) => isFunction(value) || value === '' || isPath(value),
        mustBe('a dotted path such as "event.payload", "" for the whole body, or a function'),
      ),
    },
    'an object {type, data}',
  ),
  kinds: z
    .array(z.custom(isKindDefinition, mustBe('the result of defineKind')), mustBe('a list of kinds'))
    .min(1, 'is an empty list: name at least one kind'),
  verify: z.unknown().superRefine((value, context) => {
    const { proof, ...beside } = definedVerification(value as SourceVerification, undefined) ?? {};
    const found = [
      ...(proof === undefined ? [] : (readProof(proof).mistakes ?? [])),
      ...(besideProof.safeParse(beside).error?.issues ?? []),
    ];
    for (const { path: at, message } of found) context.addIssue({ code: 'custom', path: [...at], message });
  }),
  secretsFrom: variable,
  headers: z.array(header, mustBe('a list of header names')).optional(),
  ...sourceFields,
  apiKeyFrom: variable,
});

/**
 * Defines a custom source: a source whose bodies have an envelope and kinds of their own, at `/webhooks/<name>`.
 * A handlers file exports the result:
 *
 * ```ts
 * export const paid = defineKind('paid', { schema: z.object({ order: z.string(), total: z.number() }) });
 *
 * export default defineSource('shop', {
 *   envelope: { type: 'event.name', data: 'event.payload' },
 *   verify: { scheme: 'hmac', header: 'x-shop-signature', secretsFrom: 'SHOP_SECRETS' },
 *   kinds: [paid],
 * });
 * ```
 *
 * @throws PortariaError `handler-invalid`; its message lists every mistake in the definition.
 */
export function defineSource<const Kinds extends readonly KindDefinition[]>(
  name: string,
  definition: SourceOptions<Kinds>,
): SourceDefinition<Kinds> {
  const message = nameProblem(name);
  const problem = message === undefined ? undefined : { where: 'name', message };
  checkDefinition('source', optionsSchema, definition, name, problem);
  const { kinds, ...options } = definition;
  return Object.assign({ type: 'source', name, kinds, options } as const, { [sourceMark]: true });
}

function nameProblem(name: unknown): string | undefined {
  if (name === 'default') return 'is "default", the source of the provider: choose another name';
  if (isSourceName(name)) return undefined;
  return 'must be up to 63 lower-case letters, digits and dashes: it is part of the path /webhooks/<name>';
}

/** Accepts definitions that another copy of this package made. */
export function isSourceDefinition(value: unknown): value is SourceDefinition {
  return hasMark(value, sourceMark);
}
