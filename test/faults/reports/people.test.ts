/** Reports about persons: how they are spelled, and found. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { portaria } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { report } from './report.ts';

report(
  'a mobile phone that a messenger stored without its ninth digit, and other spellings of a phone and a CNPJ',
  '`privacy find` finds each of them by each',
  async () => {
    const { folder, database } = createWorkspace();
    const sent = ['551187654321@s.whatsapp.net', '0xx11 98765-4321', '12.ABC.345.01DE.35'];
    const lines = sent.map((from, id) => JSON.stringify({ type: 'message.received', data: { id, from } }));
    writeFileSync(join(folder, 'all.ndjson'), lines.join('\n'));
    const env = { PORTARIA_DATABASE: database };
    await portaria(['events', 'import', join(folder, 'all.ndjson'), '--no-handlers'], env);

    for (const phone of ['11987654321', '+55 (0xx11) 98765-4321'])
      expect((await portaria(['privacy', 'find', phone], env)).err).toContain('2 rows: 2 event');
    expect((await portaria(['privacy', 'find', '12 ABC 345 01DE 35'], env)).err).toContain('1 row: 1 event');
  },
);
