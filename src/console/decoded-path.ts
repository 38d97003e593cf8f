/** Paths as people read them. */

/** Layers of encoding that are taken off, at most. */
const MAX_LAYERS = 8;

/** A path as people read it, for the audit and the log: masking finds no identifier in `%40` or `%2540`. */
export function decodedPath(path: string): string {
  return path.split('/').map(decoded).join('/');
}

function decoded(segment: string): string {
  let text = segment;
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const inner = withoutLayer(text);
    if (inner === text) return text;
    text = inner;
  }
  return '<encoded>';
}

function withoutLayer(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Bytes that are no UTF-8 stay as they are.
    return text.replaceAll(/%([0-7][0-9a-f])/giu, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
}
