/** Unsaved text of a route, kept in the browser until it is deployed or discarded. */
export interface Draft {
  readonly text: string
  /** The text that the draft was made from, and its revision; both null for a route that does not exist yet. */
  readonly base: string | null
  readonly sourceRev: string | null
}

const PREFIX = 'studio.draft:'
const listeners = new Set<() => void>()

function keyOf(router: string, id: string): string {
  return `${PREFIX}${router}/${id}`
}

export function readDraft(router: string, id: string): Draft | null {
  try {
    const stored = localStorage.getItem(keyOf(router, id))
    return stored === null ? null : (JSON.parse(stored) as Draft)
  } catch {
    // Storage that is blocked or holds another content is as good as none.
    return null
  }
}

/** Stores a draft; false where the browser does not allow it. */
export function writeDraft(router: string, id: string, draft: Draft): boolean {
  try {
    localStorage.setItem(keyOf(router, id), JSON.stringify(draft))
  } catch {
    return false
  }
  changed()
  return true
}

export function removeDraft(router: string, id: string): void {
  localStorage.removeItem(keyOf(router, id))
  changed()
}

/** Ids of the routes of a router that have a draft. */
export function draftIds(router: string): readonly string[] {
  const prefix = `${PREFIX}${router}/`
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .sort()
}

/** Calls a function after each change of a draft, also by another tab. */
export function onDraftChange(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

function changed(): void {
  for (const listener of listeners) listener()
}
