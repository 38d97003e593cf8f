/** Reports about texts: in files that are read, and in what is written. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { portaria } from '../../support/running-portaria.ts';
import { charge } from '../../support/webhooks/envelopes.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { report } from './report.ts';

report('an import whose file begins with a byte order mark', 'reads its first line', async () => {
  const { folder, database } = createWorkspace();
  const file = join(folder, 'events.ndjson');
  writeFileSync(file, `\uFEFF${JSON.stringify(charge(1, 1))}\n${JSON.stringify(charge(2, 1))}\n`);
  const { code, err } = await portaria(['events', 'import', file, '--no-handlers'], {
    PORTARIA_DATABASE: database,
  });
  expect(err).toContain('2 lines read: 2 accepted.');
  expect(code).toBe(0);
});
