/** Says which erasures were not applied again, for `privacy reapply` and `restore`. */
export function keptByHoldNotes(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const [were, person] = ids.length === 1 ? ['was', 'the person is'] : ['were', 'these people are'];
  return [
    `${ids.join(', ')} ${were} not applied again, because ${person} under a legal hold: \`portaria privacy reapply\` erases them after the hold.`,
  ];
}
