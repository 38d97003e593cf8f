/**
 * Commands to try on the data that was kept.
 *
 * @param {import('../environment/start-environment.mjs').Environment} environment
 */
export function keptDataText({ workspace: { folder }, postgres }) {
  const start =
    postgres === null
      ? [`  export PORTARIA_DATABASE=${folder}/portaria.db`]
      : [`  ${postgres.command} &`, `  export PORTARIA_DATABASE=${postgres.url}`];
  return [
    '',
    'The data is kept. Try:',
    '',
    ...start,
    '  npx portaria stats',
    '  npx portaria events list --verdict stale',
    '  npx portaria machines list --anomalous',
    '  npx portaria subjects show company:1',
    '  npx portaria replay --dry-run --handler payment-slip',
    `  npx portaria provider --database ${folder}/provider.db`,
    '',
  ].join('\n');
}
