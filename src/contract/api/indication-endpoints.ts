/** The endpoints of driver indications. */
import { z } from 'zod';
import { closedSet, boolean, string } from '../field/schemas.ts';
import { expected } from '../field/expected.ts';
import { signingDocument, trafficViolationIndication } from '../record/indication.ts';
import { one, several } from './response.ts';
import { brazilianPhone, emailAddress, nonEmptyString, validCpf } from './body-field.ts';
import { endpointsOf } from './endpoint.ts';

const endpoint = endpointsOf('Driver indications');
const inactiveLink = "The link of the violation's user with the organization is inactive.";
const noIndication = 'There is no such indication, or no such violation.';

/** The fields that flow `form` requires (specification, Endpoints, Driver indications, Create body). */
const formFields = ['name', 'license', 'id_number', 'id_issuer', 'transfer'] as const;

const templateId = z.int({ error: expected('a whole number (the id of a document template)') });
const variable = z.union([string, z.number()], { error: expected('a string or a number') }).transform(String);

const newIndication = z
  .object(
    {
      tax_id: validCpf.describe('CPF of the indicated driver.'),
      flow: closedSet(['automated', 'form'])
        .default('automated')
        .describe('automated: with the agency directly. form: by signed document.'),
      email: emailAddress.optional().describe('Of the driver; recommended, for notifications.'),
      phone: brazilianPhone.optional().describe('Of the driver; recommended, for notifications.'),
      name: nonEmptyString.optional().describe('Required in flow form.'),
      license: nonEmptyString.optional().describe('Required in flow form.'),
      id_number: nonEmptyString.optional().describe('Required in flow form.'),
      id_issuer: nonEmptyString.optional().describe('Required in flow form.'),
      transfer: boolean.optional().describe('Required in flow form.'),
      documents: z
        .array(templateId, { error: expected('an array') })
        .optional()
        .describe('Ids of the document templates of the envelope.'),
      vars: z
        .record(z.string(), variable, { error: expected('an object of strings and numbers') })
        .optional()
        .describe('Values for all templates. Numbers become strings.'),
      requester_email: emailAddress.optional(),
      requester_phone: brazilianPhone.optional(),
    },
    { error: expected('an object') },
  )
  .superRefine((body, context) => {
    if (body.flow !== 'form') return;
    for (const name of formFields)
      if (body[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is required when flow is form' });
  });

/** The body that creates an indication. */
export type NewIndication = z.output<typeof newIndication>;

/** Specification, Endpoints, Driver indications. */
export const indicationEndpoints = {
  listOf: endpoint({
    operationId: 'listIndications',
    summary: 'Driver indications for a traffic violation',
    path: '/v1/traffic-violations/{id}/indications',
    response: { status: 200, description: 'The indications.', schema: several(trafficViolationIndication) },
    errors: { 403: inactiveLink, 404: 'There is no such violation.' },
  }),
  read: endpoint({
    operationId: 'readIndication',
    summary: 'One driver indication',
    path: '/v1/traffic-violations/{id}/indications/{indicationId}',
    response: { status: 200, description: 'The indication.', schema: one(trafficViolationIndication) },
    errors: { 403: inactiveLink, 404: noIndication },
  }),
  readDocument: endpoint({
    operationId: 'readIndicationDocument',
    summary: 'The signing document of a driver indication',
    path: '/v1/traffic-violations/{id}/indications/{indicationId}/document',
    response: { status: 200, description: 'The signing document record.', schema: one(signingDocument) },
    errors: { 403: inactiveLink, 404: `${noIndication} Or it has no document.` },
  }),
  create: endpoint({
    operationId: 'createIndication',
    summary: 'Indicate the driver who is responsible for a traffic violation',
    method: 'post',
    path: '/v1/traffic-violations/{id}/indications',
    body: newIndication,
    response: {
      status: 201,
      description: 'The driver is indicated. Events report the progress.',
      schema: one(trafficViolationIndication),
    },
    errors: {
      403: inactiveLink,
      404: 'There is no such violation.',
      409: 'The violation has a pending indication.',
      422: 'The violation accepts no indication, for example because the deadline is over.',
    },
  }),
  cancel: endpoint({
    operationId: 'cancelIndication',
    summary: 'Cancel a pending driver indication',
    method: 'post',
    path: '/v1/traffic-violations/{id}/indications/{indicationId}/cancel',
    response: { status: 204, description: 'The indication is canceled.', schema: null },
    errors: { 403: inactiveLink, 404: noIndication, 409: 'The indication is not pending.' },
  }),
};
