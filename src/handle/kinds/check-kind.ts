/** Checks what is given to `defineKind`, and lists every mistake. */
import { z } from 'zod';
import { kindNameProblem } from '../../contract/kind-name.ts';
import { specification } from '../../contract/specification.ts';
import { isJsonObject } from '../../kernel/json/json.ts';
import { checkDefinition, fields, mustBe } from '../define/check-fields.ts';
import { isStandardSchema } from './standard-schema.ts';

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
  example: z.custom(isJsonObject, mustBe('an object: the payload of the kind')).optional(),
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
export function checkKind(kind: unknown, definition: unknown): void {
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
