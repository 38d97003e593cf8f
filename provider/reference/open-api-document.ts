/** The OpenAPI document of the provider's API. */
import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { errorBody } from '../../src/contract/api/response.ts';
import type { z } from 'zod';
import {
  isOptionalBody,
  queryOf,
  type BodyType,
  type Endpoint,
  type ErrorStatus,
  type KeyHeader,
  type Part,
} from '../../src/contract/api/endpoint.ts';
import { errorLabels } from '../http/http-error.ts';

const keyDescriptions: Readonly<Record<KeyHeader, string>> = {
  'x-api-key': "The organization's API key.",
  'api-x-token': 'The same key, in a second header that appeals accept.',
};

/** Builds the OpenAPI 3.1 document from the declarations that also route and validate requests. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  version: string,
): ReturnType<OpenAPIHono['getOpenAPI31Document']> {
  const { openAPIRegistry, getOpenAPI31Document } = describing();
  for (const name of new Set(endpoints.flatMap(({ keyHeaders }) => keyHeaders)))
    openAPIRegistry.registerComponent('securitySchemes', name, {
      type: 'apiKey',
      in: 'header',
      name,
      description: keyDescriptions[name],
    });
  for (const endpoint of endpoints) openAPIRegistry.registerPath(pathOf(endpoint));
  const document = getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Fleet and Driver Compliance Service',
      version,
      description: apiDescription,
    },
    tags: Object.entries(partDescriptions).map(([name, description]) => ({ name, description })),
  });
  showExamples(document.paths);
  return document;
}

/** Creates an app that describes routes and serves none. */
function describing(): Pick<OpenAPIHono, 'openAPIRegistry' | 'getOpenAPI31Document'> {
  const app = new OpenAPIHono();
  return {
    openAPIRegistry: app.openAPIRegistry,
    getOpenAPI31Document: (config) => app.getOpenAPI31Document(config),
  };
}

function pathOf(endpoint: Endpoint): RouteConfig {
  const { method, path, operationId, summary, part, params, body, keyHeaders, response } = endpoint;
  return {
    method,
    path,
    operationId,
    summary,
    tags: [part],
    security: keyHeaders.map((name) => ({ [name]: [] })),
    request: {
      params,
      query: queryOf(endpoint),
      ...(body !== null && {
        body: { required: !isOptionalBody(body), content: contentOf(endpoint, body) },
      }),
    },
    responses: {
      [response.status]: {
        description: response.description,
        ...(response.schema !== null && { content: { 'application/json': { schema: response.schema } } }),
        ...(response.type !== undefined && { content: { [response.type]: { schema: { type: 'string' } } } }),
      },
      ...failuresOf(endpoint),
    },
  };
}

const contentTypes: Readonly<Record<BodyType, readonly string[]>> = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'],
};

function contentOf({ operationId, bodyType }: Endpoint, schema: z.ZodType) {
  const example = bodyExamples[operationId];
  return Object.fromEntries(contentTypes[bodyType].map((type) => [type, { schema, example }]));
}

function failuresOf({ errors: failures }: Endpoint): RouteConfig['responses'] {
  const own: [ErrorStatus | 401, string][] = Object.entries(failures).map(([status, description]) => [
    Number(status) as ErrorStatus,
    description,
  ]);
  const all = new Map<number, string>([
    [400, 'The request is not valid.'],
    [401, 'The API key is missing or unknown.'],
    ...own,
  ]);
  return Object.fromEntries(
    [...all].map(([status, description]) => [
      status,
      {
        description,
        content: { 'application/json': { schema: errorBody, example: exampleOf(status, description) } },
      },
    ]),
  );
}

function exampleOf(status: number, message: string) {
  const label = Object.entries(errorLabels).find(([known]) => Number(known) === status)?.[1];
  return { error: label, message };
}

/** Introduction of the reference page, in Markdown: what all endpoints have in common. */
const apiDescription = `
A stand-in for the provider, by its interface specification: companies and drivers of a fleet, their
violations, charges, licences and appeals. Every change is also sent by webhook.

**Authentication.** Every request carries the organization's API key in \`x-api-key\`; appeals also accept
\`api-x-token\`. Create a key with \`portaria provider keys create <organization>\` and paste it under
*Authorize*; *Execute* then calls this provider.

**Responses.** One record is \`{ data }\`. A list is \`{ data, pagination, total }\`, in pages selected by
\`pagination[page]\` and \`pagination[size]\` (25 by default, at most 100).

**Filters** have the form \`filters[<field>][<operator>]=<value>\`; a record must match all of them. Unknown
parameters are rejected.

**Errors** are \`{ error, message }\`; some 404 have only \`error\`. An organization with too many open streams,
or too many certificates to open, gets 429 with \`Retry-After\`.

**Values.** Days are \`YYYY-MM-DD\`, instants ISO 8601 in UTC, amounts in reais, CPF and CNPJ without punctuation.
`.trim();

/** Description of each part, in the order of the specification's Endpoints section. */
export const partDescriptions: Readonly<Record<Part, string>> = {
  Companies:
    'Companies by CNPJ, with their digital certificate, their registration with the electronic ' +
    'notification system (SNE), and the progress of their first import.',
  Users:
    'Individual users by CPF, the link that gives the organization access to their data, and their licence.',
  'Console users': 'Users of the console, and the companies that they see there.',
  'Widget users': 'Sign-in URLs for the embedded widget.',
  'Traffic violations': 'Traffic violations, their notices and requests for payment slips.',
  'Driver indications':
    'Declarations of the driver: processed by the agency (`automated`), or by a signed document (`form`).',
  'Traffic violation payment slips': 'Payment slips of all traffic violations, and their files.',
  'ANTT violations': "Violations of the land transport agency's rules, and their payment slips.",
  Charges: 'Generic charges, such as fees and taxes, and their payment slips.',
  'Driver licenses': 'Drivers and their licences, looked up by CPF.',
  Appeals: 'Appeals of drivers. Pages and responses have a different shape here.',
};

/** An example request body for each endpoint that has one, by operation id. */
export const bodyExamples: Readonly<Record<string, object>> = {
  createCompany: {
    name: 'Transportes Serra Azul Ltda',
    tax_id: '11222333000181',
    external_uid: 'matriz',
    login_username: '52998224725',
  },
  updateCompany: { name: 'Transportes Serra Azul S.A.' },
  storeCertificate: { certificate: 'MIINWgIBAzCCDRAGCSqGSIb3DQEHAaCCDQEE…', password: 'segredo' },
  createUser: {
    name: 'Beatriz Nogueira',
    tax_id: '52998224725',
    email: 'beatriz.nogueira@example.com',
    phone: '+5541999990123',
    external_uid: 'motorista-1',
  },
  updateUser: { phone: '+5541999990124' },
  signConsoleUserIn: {
    name: 'Rafael Teixeira',
    email: 'rafael.teixeira@example.com',
    external_uid: 'gestor-7',
    companies: [{ tax_id: '11222333000181', external_uid: 'matriz' }],
  },
  removeCompaniesOfConsoleUser: { companies: ['11222333000181'] },
  signWidgetUserIn: {
    widget_uid: 'wgt_…',
    external_uid: 'motorista-1',
    tax_id: '52998224725',
    phone: '+5541999990123',
  },
  requestTrafficViolationTicket: { discount: 'full' },
  createIndication: {
    tax_id: '11144477735',
    flow: 'form',
    name: 'Marcos Vinícius Prado',
    email: 'marcos.prado@example.com',
    phone: '41999990123',
    license: '04512378901',
    id_number: '98765432',
    id_issuer: 'SESP/PR',
    transfer: false,
    vars: { placa: 'BDT4F37' },
  },
  createDriver: { tax_id: '52998224725' },
  createAppeal: { user_id: 1, reference_object_id: 1, reference_object_type: 'traffic_ticket' },
};

/** Example for strings with a pattern. Swagger UI would generate a random string that matches. */
const instant = '2026-03-09T14:05:00.000Z';
const taxIds: Readonly<Record<string, string>> = { cnpj: '11222333000181', cpf: '52998224725' };

/**
 * Adds examples to the schemas of a document, in place. Also removes empty
 * `additionalProperties`, which Swagger UI shows as three extra fields.
 */
function showExamples(node: unknown): void {
  if (!isObject(node)) return;
  const { additionalProperties: others, pattern, 'x-check-digits': digits } = node;
  if (isObject(others) && Object.keys(others).length === 0) delete node['additionalProperties'];
  const example = typeof digits === 'string' ? taxIds[digits] : exampleFor(pattern);
  if (example !== undefined) node['example'] = example;
  for (const part of Object.values(node)) showExamples(part);
}

function exampleFor(pattern: unknown): string | undefined {
  return typeof pattern === 'string' && new RegExp(pattern, 'u').test(instant) ? instant : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
