/**
 * Bytes of each body that need no room: as much as its headers may have. Most
 * webhooks are shorter, so that those who send long bodies and do not end them
 * shut out nobody else.
 */
export const FREE_BYTES = 16 * 1024;

/** What all long bodies that are read, and not answered yet, may take of memory together. */
export interface BodyRoom {
  /** Makes room for a body that grows, in bytes. False when there is none; then nothing has changed. */
  grow(from: number, to: number): boolean;
  /** A body of so many bytes is out of the way. */
  leave(bytes: number): void;
}

/** @param mostBytes beyond the free ones of each */
export function createBodyRoom(mostBytes: number): BodyRoom {
  let taken = 0;
  return {
    grow(from, to) {
      const more = beyondFree(to) - beyondFree(from);
      if (more > 0 && taken + more > mostBytes) return false;
      taken += more;
      return true;
    },
    leave(bytes) {
      taken -= beyondFree(bytes);
    },
  };
}

function beyondFree(bytes: number): number {
  return Math.max(0, bytes - FREE_BYTES);
}
