/** The tarball that `npm pack` makes holds what its documents link to. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { brokenLinks } from '../../scripts/document-links.mjs';
import { installedModules, openExample, openWithProvider } from './example-project.ts';

/** The package as npm would unpack it. */
function unpacked() {
  const folder = join(installedModules(), 'portaria');
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  return { files: new Set(paths), read: (path: string) => readFileSync(join(folder, path), 'utf8') };
}

test('every link of its documents leads to a file of it, and to a heading', () => {
  const place = unpacked();
  const documents = [...place.files].filter((path) => path.endsWith('.md'));
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/handlers.md', 'examples/README.md']));
  expect(documents.flatMap((document) => brokenLinks(document, place))).toEqual([]);
});

test('alone, it brings nothing of the provider, whose commands say what to install', () => {
  const { files, read } = unpacked();
  const { version, dependencies } = JSON.parse(read('package.json')) as {
    version: string;
    dependencies: object;
  };

  expect(dependencies).not.toHaveProperty('node-forge');
  expect([...files].filter((path) => /provider[/]|swagger/u.test(path))).toEqual([]);
  const { portaria } = openExample('custom-handler');
  expect(() => portaria('provider', 'keys', 'list')).toThrow(
    `npm install --save-dev @portaria/provider@${version}`,
  );
});

test('with the package of the provider beside it, its commands work', async () => {
  const { start, portaria } = openWithProvider();

  expect(portaria('provider', 'keys', 'create', 'Serra Azul')).toMatch(/^fdc_/u);
  expect(() => portaria('provider', 'endpoints', 'remove', 'http://localhost:1')).toThrow(
    /endpoints list\n$/u,
  );
  const running = start(process.execPath, [
    'node_modules/portaria/dist/src/cli/main.js',
    'provider',
    '--port',
    '0',
  ]);
  const [, url] = await running.matches(/reference +(\S+)/u);
  expect((await fetch(`${String(url)}/swagger-ui-bundle.js`)).status).toBe(200);
});

test('links that lead nowhere are found', () => {
  const texts: Readonly<Record<string, string>> = {
    'README.md': `[a](docs/a.md) [b](docs/b.md) [c](docs/a.md#the-way) [d](docs/a.md#nowhere) [e](#top-of-it)
      [f](docs) [g](src/g.ts) [h](https://example.org/h.md) \`[i](i.md)\` <img src="j.svg">\n# Top of it`,
    'docs/a.md': '# The `way`\n```sh\n# not a heading\n```\n[up](../README.md)',
  };
  const place = { files: new Set(Object.keys(texts)), read: (path: string) => texts[path] ?? '' };
  expect(brokenLinks('README.md', place)).toEqual([
    'README.md links to docs/b.md, which is not there',
    'README.md links to docs/a.md#nowhere, and there is no such heading',
    'README.md links to src/g.ts, which is not there',
    'README.md links to j.svg, which is not there',
  ]);
  expect(brokenLinks('docs/a.md', place)).toEqual([]);
});
