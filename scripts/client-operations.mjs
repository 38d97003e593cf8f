#!/usr/bin/env node
/** Prints the operations of `portaria/client`, in Markdown, from the endpoints in src/contract/api. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isOptionalBody } from '../src/contract/api/endpoint.ts';
import { endpoints } from '../src/contract/api/endpoints.ts';

/** @typedef {import('../src/contract/api/endpoint.ts').Endpoint} Endpoint */
/** @typedef {{ readonly [name: string]: Endpoint | Tree }} Tree */

/** A table of operations for each resource, in Markdown. */
export function clientOperations() {
  return Object.entries(endpoints)
    .map(([name, resource]) =>
      [
        `### ${name}`,
        '',
        '| operation | method and path | arguments | result |',
        '| --- | --- | --- | --- |',
        ...rows(resource, name),
      ].join('\n'),
    )
    .join('\n\n');
}

/**
 * @param {Tree} tree
 * @param {string} prefix
 * @returns {string[]}
 */
function rows(tree, prefix) {
  return Object.entries(tree).flatMap(([name, value]) =>
    isEndpoint(value) ? [row(`${prefix}.${name}`, value)] : rows(value, `${prefix}.${name}`),
  );
}

/**
 * @param {Endpoint | Tree} value
 * @returns {value is Endpoint}
 */
function isEndpoint(value) {
  return typeof value['operationId'] === 'string';
}

/**
 * @param {string} name
 * @param {Endpoint} endpoint
 */
function row(name, endpoint) {
  const { method, path, response } = endpoint;
  const also = name.endsWith('.list') ? `, \`${name.replace(/list$/, 'all')}\`` : '';
  const cells = [
    `\`${name}\`${also}`,
    `\`${method.toUpperCase()} ${path}\``,
    [...ids(path), ...body(endpoint), ...query(endpoint)].join('; '),
    response.description,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** @param {string} path */
function ids(path) {
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, id]) => `\`${id}\``);
}

/** @param {Endpoint} endpoint */
function body({ body: schema }) {
  if (schema === null) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const fields = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  return [`\`{ ${fields.join(', ')} }\`${isOptionalBody(schema) ? ', optional' : ''}`];
}

/** @param {Endpoint} endpoint */
function query({ filters, query: { shape } }) {
  const own = Object.keys(shape).map((name) => `${name}?`);
  if (filters === null) return own.length === 0 ? [] : [`\`{ ${own.join(', ')} }\``];
  const names = Object.keys(filters);
  const pages = '`{ page?, size? }`';
  return [names.length === 0 ? pages : `\`{ page?, size?, filters? }\` by ${names.join(', ')}`];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(clientOperations());
