import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { failureAnswer } from '../../contract/api/answer.ts';
import type { z } from 'zod';
import {
  mayBeLeftOut,
  queryOf,
  type BodyType,
  type Endpoint,
  type FailureStatus,
} from '../../contract/api/endpoint.ts';

/** OpenAPI 3.1 of the endpoints, from the declarations that also route and check them. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  version: string,
): ReturnType<OpenAPIHono['getOpenAPI31Document']> {
  const { openAPIRegistry, getOpenAPI31Document } = describing();
  for (const name of new Set(endpoints.flatMap(({ keyHeaders }) => keyHeaders)))
    openAPIRegistry.registerComponent('securitySchemes', name, { type: 'apiKey', in: 'header', name });
  for (const endpoint of endpoints) openAPIRegistry.registerPath(pathOf(endpoint));
  return getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Fleet and Driver Compliance Service',
      version,
      description: 'A stand-in for the service, by its interface specification.',
    },
    servers: [{ url: '/' }],
  });
}

/** An app that only describes. */
function describing(): Pick<OpenAPIHono, 'openAPIRegistry' | 'getOpenAPI31Document'> {
  const app = new OpenAPIHono();
  return {
    openAPIRegistry: app.openAPIRegistry,
    getOpenAPI31Document: (config) => app.getOpenAPI31Document(config),
  };
}

function pathOf(endpoint: Endpoint): RouteConfig {
  const { method, path, operationId, summary, part, params, body, bodyType, keyHeaders, answer } = endpoint;
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
        body: { required: !mayBeLeftOut(body), content: contentOf(body, contentTypes[bodyType]) },
      }),
    },
    responses: {
      [answer.status]: {
        description: answer.description,
        ...(answer.schema !== null && { content: { 'application/json': { schema: answer.schema } } }),
        ...(answer.type !== undefined && { content: { [answer.type]: { schema: { type: 'string' } } } }),
      },
      ...failuresOf(endpoint),
    },
  };
}

const contentTypes: Readonly<Record<BodyType, readonly string[]>> = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'],
};

function contentOf(schema: z.ZodType, types: readonly string[]) {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function failuresOf({ failures }: Endpoint): RouteConfig['responses'] {
  const own: [FailureStatus | 401, string][] = Object.entries(failures).map(([status, description]) => [
    Number(status) as FailureStatus,
    description,
  ]);
  const all = new Map<number, string>([
    [400, 'The request does not fit.'],
    [401, 'The API key is missing or not known.'],
    ...own,
  ]);
  return Object.fromEntries(
    [...all].map(([status, description]) => [
      status,
      { description, content: { 'application/json': { schema: failureAnswer } } },
    ]),
  );
}
