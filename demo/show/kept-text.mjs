/**
 * What to try on the data of a day that was kept.
 *
 * @param {import('../world/start-world.mjs').World} world
 */
export function keptText({ place, provider, receiver }) {
  const at = `--database ${receiver.database}`;
  return [
    '',
    `The data is kept in ${place.folder}; to try on it:`,
    '',
    `  npx portaria stats ${at}`,
    `  npx portaria events list --verdict stale ${at}`,
    `  npx portaria machines list --anomalous ${at}`,
    `  npx portaria subjects show company:1 ${at}`,
    `  npx portaria replay --dry-run --handler payment-slip ${at}`,
    `  npx portaria service --database ${provider.database}`,
    '',
  ].join('\n');
}
