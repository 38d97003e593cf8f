/**
 * Commands to try on the data that was kept.
 *
 * @param {import('../environment/start-environment.mjs').Environment} environment
 */
export function keptDataText({ workspace: { folder } }) {
  return [
    '',
    'The data is kept. Try:',
    '',
    `  D=${folder}`,
    '  npx portaria stats --database $D/portaria.db',
    '  npx portaria events list --verdict stale --database $D/portaria.db',
    '  npx portaria machines list --anomalous --database $D/portaria.db',
    '  npx portaria subjects show company:1 --database $D/portaria.db',
    '  npx portaria replay --dry-run --handler payment-slip --database $D/portaria.db',
    '  npx portaria provider --database $D/provider.db',
    '',
  ].join('\n');
}
