/** The files for Docker Compose, without Docker: every setting exists, and every secret comes from .env. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settings } from '../src/config/settings.ts';

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

/** The password of the server, which is part of an address. */
const ofCompose = ['PORTARIA_POSTGRES_PASSWORD'];
const example = namesIn(read('.env.example'), /^(PORTARIA_\w+)=/gmu);

test.each(['compose.yaml', 'compose.scale.yaml'])(
  '%s sets known settings, and takes secrets from .env',
  (name) => {
    const text = read(name);
    const set = namesIn(text, /^ *(PORTARIA_\w+):/gmu);
    expect(set.length).toBeGreaterThan(5);
    expect(set.filter((setting) => !Object.hasOwn(settings, setting))).toEqual([]);
    const required = namesIn(text, /\$\{(PORTARIA_\w+):\?/gu);
    expect(required.filter((setting) => !example.includes(setting))).toEqual([]);
    expect(text).not.toMatch(/replace-me|whsec_/u);
  },
);

test('.env.example has nothing that no file reads', () => {
  const text = read('compose.yaml') + read('compose.scale.yaml');
  expect(example.filter((name) => !text.includes(`\${${name}`))).toEqual([]);
  expect(example.filter((name) => !Object.hasOwn(settings, name) && !ofCompose.includes(name))).toEqual([]);
});

test('the load balancer knows every receiver of compose.scale.yaml, and its paths', () => {
  const [compose, balancer] = [read('compose.scale.yaml'), read('deploy/haproxy.cfg')];
  const receivers = namesIn(compose, /^ {2}(receiver-\d+):$/gmu);
  expect(receivers).toHaveLength(3);
  expect(namesIn(balancer, /^ {2}server \w+ ([\w-]+):8080$/gmu)).toEqual(receivers);
  expect(balancer).toContain('option httpchk GET /healthz');
  expect(compose).toContain('./deploy/haproxy.cfg:');
});
