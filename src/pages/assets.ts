/** The styles and scripts of pages. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Context } from 'hono';
import { ownFolder } from '../kernel/files/package-files.ts';

const SCRIPT = 'text/javascript; charset=utf-8';

/** The files that pages load, by name. */
const TYPES = {
  'console.css': 'text/css; charset=utf-8',
  'console.js': SCRIPT,
  'times.js': SCRIPT,
  'live.js': SCRIPT,
  'icon.svg': 'image/svg+xml',
  'htmx.js': SCRIPT,
} as const;

export type AssetName = keyof typeof TYPES;

/** The build copies it into `dist`. */
const HTMX = 'htmx.org/dist/htmx.min.js';

const require = createRequire(import.meta.url);

interface Asset {
  readonly plain: Buffer<ArrayBuffer>;
  readonly compressed: Buffer<ArrayBuffer>;
  /** Changes with the content, so browsers may keep the file for ever. */
  readonly version: string;
}

/** The files that pages load, read and compressed once. */
export interface Assets {
  /** Returns the address of a file, which changes with its content. */
  url(name: AssetName): string;
  /** Responds with a file; undefined for an unknown name. */
  respond(c: Context, name: string): Response | undefined;
}

export async function loadAssets(): Promise<Assets> {
  const folder = join(ownFolder('src'), 'pages', 'assets');
  const names = Object.keys(TYPES) as AssetName[];
  const loaded = await Promise.all(names.map(async (name) => [name, await read(folder, name)] as const));
  const assets = new Map<string, Asset>(loaded);

  return {
    url: (name) => `/assets/${assets.get(name)?.version ?? ''}/${name}`,
    respond(c, name) {
      const asset = assets.get(name);
      if (asset === undefined) return undefined;
      const gzip = /\bgzip\b/u.test(c.req.header('accept-encoding') ?? '');
      c.header('content-type', TYPES[name as AssetName]);
      c.header('cache-control', 'public, max-age=31536000, immutable');
      c.header('vary', 'accept-encoding');
      if (gzip) c.header('content-encoding', 'gzip');
      return c.body(gzip ? asset.compressed : asset.plain);
    },
  };
}

async function read(folder: string, name: AssetName): Promise<Asset> {
  const plain = await readFile(name === 'htmx.js' ? require.resolve(HTMX) : join(folder, name));
  const version = createHash('sha256').update(plain).digest('hex').slice(0, 12);
  return { plain, compressed: gzipSync(plain), version };
}
