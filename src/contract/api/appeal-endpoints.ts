/** The endpoints of appeals. */
import { z } from 'zod';
import { expected } from '../field/expected.ts';
import { appeal, appealObjectTypes, appealStatuses } from '../record/appeal.ts';
import { endpointsOf } from './endpoint.ts';
import { valueAmong } from './filter.ts';
import { pageNumber, pageSize } from './response.ts';

const endpoint = endpointsOf('Appeals');
/** The specification does not say which of the two counts, so both do (Authentication 2). */
const keyHeaders = ['x-api-key', 'api-x-token'] as const;
const ALL = 'all';

/** Pages of appeals have a form of their own (specification, Conventions 4; Limits). */
const appealPage = z.object({
  page: z.int().describe('The page, from 1.'),
  page_size: z.int().describe('The maximum number of appeals on a page.'),
  total: z.int().describe('Appeals on all pages.'),
  total_pages: z.int().describe('The number of pages.'),
  data: z.array(appeal),
});

/** The response to a creation. */
export const createdAppeal = z.object(
  appeal.pick({ id: true, user_id: true, status: true, created_at: true, updated_at: true }).shape,
);

const WHOLE_NUMBER = 'a whole number';
const TYPE = `one of ${appealObjectTypes.join(', ')}`;

/** A record's id. A form sends its digits as a string. */
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
 * The form fields of a new appeal (specification, Endpoints, Appeals). The specification's table names
 * `reference_object_id` and `reference_object_type`, its example `object_id` and `object_type`. Either name is
 * accepted; both must have the same value.
 */
const newAppeal = z
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

/** @param values by name, the name in the specification's table first */
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
    context.addIssue({
      code: 'custom',
      path: [second[0]],
      message: `differs from ${first[0]}: give one of them`,
    });
  return first?.[1];
}

/** Specification, Endpoints, Appeals. */
export const appealEndpoints = {
  list: endpoint({
    operationId: 'listAppeals',
    summary: 'Appeals of the organization',
    path: '/v1/appeals',
    query: z.object({
      page: pageNumber.prefault('1').describe('The first page is 1.'),
      page_size: pageSize.prefault('10').describe('Appeals on a page.'),
      status: valueAmong([ALL, ...appealStatuses])
        .default(ALL)
        .describe('Only appeals with this status; `all` for every status.'),
    }),
    keyHeaders,
    response: { status: 200, description: 'A page of appeals.', schema: appealPage },
  }),
  read: endpoint({
    operationId: 'readAppeal',
    summary: 'One appeal, without `data` around it',
    path: '/v1/appeals/{id}',
    keyHeaders,
    response: { status: 200, description: 'The appeal.', schema: appeal },
    errors: { 404: 'There is no such appeal.' },
  }),
  create: endpoint({
    operationId: 'createAppeal',
    summary: 'Appeal for a driver',
    method: 'post',
    path: '/v1/appeals',
    body: newAppeal,
    bodyType: 'form',
    keyHeaders,
    response: {
      status: 200,
      description: 'The new appeal, in brief and without `data` around it.',
      schema: createdAppeal,
    },
    errors: { 404: 'There is no such driver or traffic violation.' },
  }),
};
