import { describe, expect, it } from 'vitest';
import { maskText } from '../kernel/text/scrub.ts';
import { decodedPath } from './decoded-path.ts';

describe('a path for the audit', () => {
  it.each([
    ['/subjects/arch%3Aana%40example.com', '/subjects/arch:<email>'],
    ['/subjects/arch%3Aana%2540example.com', '/subjects/arch:<email>'],
    ['/subjects/arch%3Aana%252540example.com', '/subjects/arch:<email>'],
    ['/subjects/arch%3A12.345.678%2F0001-95', '/subjects/arch:<cnpj>'],
    ['/subjects/arch%3A12.345.678%252F0001-95', '/subjects/arch:<cnpj>'],
    ['/subjects/user%3A529%2E982%2E247%2D25', '/subjects/user:<cpf>'],
    ['/subjects/arch%3Aana%40example.com%ff', '/subjects/arch:<email>%ff'],
    ['/subjects/arch%3A%zz%40', '/subjects/arch:%zz@'],
    [`/subjects/arch%3Aana%${'25'.repeat(50)}40example.com`, '/subjects/<encoded>'],
    ['/events/7gk2m9-12', '/events/7gk2m9-12'],
  ])('of %s is %s', (path, text) => {
    expect(maskText(decodedPath(path))).toBe(text);
  });
});
