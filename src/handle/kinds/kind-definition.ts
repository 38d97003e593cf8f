/** `defineKind`: kinds beyond the specification, and the schemas of other libraries. */
import type { DataOf, EventKind } from '../../contract/catalogue.ts';
import { hasMark, kindMark } from '../define/marks.ts';
import { z } from 'zod';
import { kindNameProblem } from '../../contract/kind-name.ts';
import { specification } from '../../contract/specification.ts';
import { checkDefinition, fields, mustBe } from '../../contract/check-fields.ts';

/** What identifies the entity that an event is about. */
export interface SubjectRule<Data> {
  /**
   * For example `company`: events of one family and id are handled in order. Default: the kind up to its last dot.
   */
  readonly family?: string;
  /** Returns the entity's id. Default: `data.id`. Without an id the event is a subject of its own. */
  id?(data: Data): string | number | null | undefined;
}

/** The argument of `defineKind`, besides the schema. */
export interface KindOptions<Data> {
  readonly subject?: SubjectRule<Data>;
  /**
   * Returns what orders the events of a subject: an instant (ISO 8601 or a `Date`) or a whole number from 0, the
   * same for all kinds of a family. A string that is not an instant sends the event to quarantine. Default: none,
   * and arrival orders the events.
   */
  version?(data: Data): string | number | Date | null | undefined;
  /** Dotted paths of personal fields, which views, logs and reports mask: `contact`, `owner.name`. */
  readonly personal?: readonly string[];
  /** A short name, for documents. */
  readonly title?: string;
  /** One sentence, for documents. */
  readonly description?: string;
  /** A payload for `portaria send` and the documents. Default: one made from the schema. */
  readonly example?: Data;
}

/** A custom kind of event, or what changes about a kind of the specification. */
export interface KindDefinition<Kind extends string = string, Data = unknown> {
  readonly type: 'kind';
  readonly kind: Kind;
  readonly schema: StandardSchema | undefined;
  readonly options: KindOptions<never>;
  /** Only a type: the payload of the kind's events. */
  readonly '~data'?: Data;
}

/** The payload of a kind of the specification with the fields of a patch. */
export type Patched<Base, Patch> = {
  [Name in keyof Base | keyof Patch]: Name extends keyof Patch
    ? Name extends keyof Base
      ? PatchedField<Base[Name], Patch[Name]>
      : Patch[Name]
    : Name extends keyof Base
      ? Base[Name]
      : never;
};

/** Objects are merged; anything else is replaced. What the patch says of null and absence holds. */
type PatchedField<Base, Patch> =
  NonNullable<Base> extends Plain
    ? Patch
    : NonNullable<Patch> extends Plain
      ? Patch
      : Patched<NonNullable<Base>, NonNullable<Patch>> | Extract<Patch, null | undefined>;

type Plain = string | number | boolean | readonly unknown[];

/** The names whose value may be absent are optional. */
type Optionals<Data> = { [Name in keyof Data as undefined extends Data[Name] ? never : Name]: Data[Name] } & {
  [Name in keyof Data as undefined extends Data[Name] ? Name : never]?: Data[Name];
};

type PatchData<Kind extends EventKind, Schema extends StandardSchema> = Optionals<
  Patched<DataOf<Kind>, InputOf<Schema>>
>;

/**
 * Changes a kind of the specification. The fields of a zod object are added to those of the specification, or
 * replace them, at any depth; a schema of another library replaces the payload's schema as a whole. Everything
 * that is not given stays as it is.
 *
 * @throws PortariaError `handler-invalid`; its message lists every mistake in the definition.
 */
export function defineKind<const Kind extends EventKind, Schema extends StandardSchema>(
  kind: Kind,
  definition: KindOptions<NoInfer<PatchData<Kind, Schema>>> & { readonly schema: Schema },
): KindDefinition<Kind, PatchData<Kind, Schema>>;
export function defineKind<const Kind extends EventKind>(
  kind: Kind,
  definition: KindOptions<DataOf<NoInfer<Kind>>> & { readonly schema?: undefined },
): KindDefinition<Kind, DataOf<Kind>>;
/**
 * Defines a kind of event that the specification does not contain. A handlers file exports the result, beside
 * the handlers or in a file of its own, and `on` takes it:
 *
 * ```ts
 * export const archived = defineKind('company.archived', {
 *   schema: z.object({ id: z.int(), archived_at: z.iso.datetime(), contact: z.string().nullish() }),
 *   subject: { family: 'company', id: (data) => data.id },
 *   version: (data) => data.archived_at,
 *   personal: ['contact'],
 * });
 *
 * export default defineHandler({ name: 'archive', on: archived, handle: ({ data }) => archive(data.id) });
 * ```
 *
 * The schema is any Standard Schema that checks synchronously. With zod, documents, masking and the sample come
 * from it. With any other library all of the payload is masked. Payloads stay as they were sent: no default, no
 * transformation and no removal of a schema applies.
 *
 * @throws PortariaError `handler-invalid`; its message lists every mistake in the definition.
 */
export function defineKind<const Kind extends string, Schema extends StandardSchema>(
  kind: Kind,
  definition: KindOptions<NoInfer<InputOf<Schema>>> & { readonly schema: Schema },
): KindDefinition<Kind, InputOf<Schema>>;
export function defineKind(kind: string, definition: object): unknown {
  checkKind(kind, definition);
  const { schema, ...options } = definition as KindOptions<never> & { readonly schema?: StandardSchema };
  const made: KindDefinition = { type: 'kind', kind, schema, options };
  return Object.assign(made, { [kindMark]: true });
}

/** Accepts definitions that another copy of this package made. */
export function isKindDefinition(value: unknown): value is KindDefinition {
  return hasMark(value, kindMark);
}

const functionSchema = z.custom((value) => typeof value === 'function', mustBe('a function'));
const text = z.string(mustBe('a string'));

const options = {
  subject: fields({
    family: z
      .custom(
        (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9-]*$/.test(value),
        mustBe('lower-case letters, digits and dashes: in family:id a colon ends the family'),
      )
      .optional(),
    id: functionSchema.optional(),
  }).optional(),
  version: functionSchema.optional(),
  personal: z
    .array(z.string(mustBe('a dotted path such as "owner.name"')), mustBe('a list of dotted paths'))
    .optional(),
  title: text.optional(),
  description: text.optional(),
  example: z.json(mustBe('JSON: the payload of the kind')).optional(),
};

const schemaOfKind = z.custom(
  isStandardSchema,
  mustBe('a schema of zod, or of any library that follows Standard Schema'),
);
const newKind = fields({ schema: schemaOfKind, ...options });
const patch = fields({ schema: schemaOfKind.optional(), ...options });

/**
 * Checks the arguments of `defineKind`.
 *
 * @throws PortariaError `handler-invalid`; its message and `problems` list every mistake.
 */
function checkKind(kind: unknown, definition: unknown): void {
  const isKnown = typeof kind === 'string' && specification.find('default', kind) !== undefined;
  const message = kindProblem(kind);
  const problem = message === undefined ? undefined : { where: 'kind', message };
  checkDefinition('kind', isKnown ? patch : newKind, definition, kind, problem);
}

function kindProblem(kind: unknown): string | undefined {
  if (typeof kind !== 'string' || kind === '') return 'must be a non-empty string such as "company.archived"';
  const problem = kindNameProblem(kind);
  if (problem === undefined && kind.includes('*')) return 'contains *, which is a wildcard: name one kind';
  return problem;
}

export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The result of a check; without issues the value is valid. */
interface StandardResult {
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of what a schema accepts: payloads stay as they were sent, so transformed output never appears. */
type InputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];

/** Whether a value is a schema of Standard Schema. */
function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return typeof standard?.validate === 'function';
}
