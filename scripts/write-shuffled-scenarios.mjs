/**
 * Writes `<name>.shuffled.ndjson` beside every scenario of fixtures/scenarios: the
 * same events in another order, some of them twice. Run it after a scenario has
 * changed: `node scripts/write-shuffled-scenarios.mjs`. The result is deterministic.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('../fixtures/scenarios/', import.meta.url);

for (const name of readdirSync(folder)) {
  if (!name.endsWith('.ndjson') || name.endsWith('.shuffled.ndjson')) continue;
  const lines = readFileSync(new URL(name, folder), 'utf8').trimEnd().split('\n');
  const shuffled = shuffle([...lines, ...lines.filter((_line, index) => index % 2 === 1).map(rewritten)]);
  writeFileSync(new URL(name.replace(/ndjson$/, 'shuffled.ndjson'), folder), `${shuffled.join('\n')}\n`);
}

/**
 * The same event as another serializer would write it: keys in reverse order, with spaces.
 *
 * @param {string} line
 */
function rewritten(line) {
  const { type, data } = JSON.parse(line);
  const members = Object.entries(data).reverse();
  const text = members.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(', ');
  return `{"data": {${text}}, "type": ${JSON.stringify(type)}}`;
}

/**
 * A Fisher-Yates shuffle with a fixed seed (Lehmer's generator).
 *
 * @param {string[]} lines
 */
function shuffle(lines) {
  let state = 20_261_121;
  for (let last = lines.length - 1; last > 0; last -= 1) {
    state = (state * 48_271) % 2_147_483_647;
    const other = state % (last + 1);
    const [moved = ''] = lines.splice(other, 1, lines[last] ?? '');
    lines[last] = moved;
  }
  return lines;
}
