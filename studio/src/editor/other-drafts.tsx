import type { OtherDraft } from '../model/draft-store.ts'

/** Offers the drafts of the route that other tabs have, or had before they were closed. */
export function OtherDrafts({ others, onOpen }: { others: readonly OtherDraft[]; onOpen: (key: string) => void }) {
  if (others.length === 0) return null
  return (
    <p role="status" className="warning">
      {others.length === 1 ? 'Another draft of this route is' : `${others.length} other drafts of this route are`} kept,
      of a tab that may be closed.{' '}
      {others.map(({ key, at }) => (
        <button type="button" key={key} onClick={() => onOpen(key)}>
          Open that of {new Date(at).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' })}
        </button>
      ))}
    </p>
  )
}
