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
} from '../../src/contract/api/endpoint.ts';
import { errorLabels } from '../http/http-error.ts';
import { bodyExamples } from './body-examples.ts';
import { apiDescription, partDescriptions } from './descriptions.ts';
import { showExamples } from './show-examples.ts';

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
