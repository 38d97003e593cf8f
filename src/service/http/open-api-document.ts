import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { failureAnswer } from '../../contract/api/answer.ts';
import { queryOf, type Endpoint, type FailureStatus } from '../../contract/api/endpoint.ts';

/** OpenAPI 3.1 of the endpoints, from the declarations that also route and check them. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  version: string,
): ReturnType<OpenAPIHono['getOpenAPI31Document']> {
  const { openAPIRegistry, getOpenAPI31Document } = describing();
  openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
  });
  for (const endpoint of endpoints) openAPIRegistry.registerPath(pathOf(endpoint));
  return getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Fleet and Driver Compliance Service',
      version,
      description: 'A stand-in for the service, by its interface specification.',
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
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
  const { method, path, operationId, summary, part, params, body, answer } = endpoint;
  return {
    method,
    path,
    operationId,
    summary,
    tags: [part],
    request: {
      params,
      query: queryOf(endpoint),
      ...(body !== null && { body: { required: true, content: { 'application/json': { schema: body } } } }),
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
