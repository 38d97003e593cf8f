/** The pictures of docs/console, as `node scripts/console-screenshots.mjs` writes them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MAX_BYTES, pictures } from '../../scripts/screenshots/pages.mjs';

const folder = new URL('../../docs/console/', import.meta.url);

test('the folder has a picture for each line of the list, and no other', () => {
  expect(readdirSync(folder).sort()).toEqual(pictures.map(({ name }) => `${name}.webp`).sort());
});

test.each(pictures.map(({ name }) => name))('%s is a WebP of a reasonable size', (name) => {
  const file = new URL(`${name}.webp`, folder);

  expect(statSync(file).size).toBeLessThanOrEqual(MAX_BYTES);
  expect(readFileSync(file).toString('latin1', 0, 12)).toMatch(/^RIFF.{4}WEBP$/su);
});

test('every page of the navigation has a picture', () => {
  const frame = readFileSync(new URL('../../src/console/frame.tsx', import.meta.url), 'utf8');
  const paths = [...frame.matchAll(/^ {4}\['\w+', '(\/[\w-]*)', '\w'\]/gmu)].map(([, path]) => path);

  expect(paths).toContain('/events');
  expect(pictures.map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
});
