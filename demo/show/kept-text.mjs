/**
 * What to try on the data of a day that was kept.
 *
 * @param {import('../world/start-world.mjs').World} world
 */
export function keptText({ place: { folder } }) {
  return [
    '',
    'The data is kept; to try on it:',
    '',
    `  D=${folder}`,
    '  npx portaria stats --database $D/portaria.db',
    '  npx portaria events list --verdict stale --database $D/portaria.db',
    '  npx portaria machines list --anomalous --database $D/portaria.db',
    '  npx portaria subjects show company:1 --database $D/portaria.db',
    '  npx portaria replay --dry-run --handler payment-slip --database $D/portaria.db',
    '  npx portaria provider --database $D/service.db',
    '',
  ].join('\n');
}
