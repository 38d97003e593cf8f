import { z } from 'zod';
import { expected } from '../field/expected.ts';
import { appealObjectTypes } from '../record/appeal.ts';

const WHOLE_NUMBER = 'a whole number';
const TYPE = `one of ${appealObjectTypes.join(', ')}`;

/** A record's id: in a form the digits of one. */
const idField = z.union(
  [
    z.int().nonnegative(),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ],
  {
    error: expected(WHOLE_NUMBER),
  },
);
const typeField = z.enum(appealObjectTypes, { error: expected(TYPE) });

/**
 * Form fields of a new appeal (specification, Endpoints, Appeals): its table names
 * `reference_object_id` and `reference_object_type`, its example `object_id` and
 * `object_type`. Either is taken; where both are there they must say the same.
 */
export const newAppeal = z
  .object(
    {
      user_id: idField.describe('Id of the driver.'),
      reference_object_id: idField.optional().describe('Id of the infraction or procedure.'),
      reference_object_type: typeField.optional().describe('What it is about.'),
      object_id: idField.optional().describe('Another name of reference_object_id.'),
      object_type: typeField.optional().describe('Another name of reference_object_type.'),
    },
    { error: expected('form fields') },
  )
  .transform(({ user_id, ...given }, context) => {
    const id = either(context, WHOLE_NUMBER, {
      reference_object_id: given.reference_object_id,
      object_id: given.object_id,
    });
    const type = either(context, TYPE, {
      reference_object_type: given.reference_object_type,
      object_type: given.object_type,
    });
    return id === undefined || type === undefined
      ? z.NEVER
      : { user_id, reference_object_id: id, reference_object_type: type };
  });

/** @param values by their names, the one of the table first. */
function either<Value>(
  context: z.RefinementCtx,
  what: string,
  values: Readonly<Record<string, Value | undefined>>,
): Value | undefined {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const [first, second] = given;
  if (first === undefined)
    context.addIssue({
      code: 'custom',
      path: Object.keys(values).slice(0, 1),
      message: `is required: expected ${what}`,
    });
  else if (second !== undefined && second[1] !== first[1])
    context.addIssue({ code: 'custom', path: [second[0]], message: `is another than ${first[0]}` });
  return first?.[1];
}
