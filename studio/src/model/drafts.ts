import { DraftStore } from './draft-store.ts'

/** The drafts of this tab. */
export const drafts = new DraftStore(
  () => localStorage,
  () => sessionStorage,
)

addEventListener('storage', ({ key }) => drafts.changedElsewhere(key))
// Also of a page that the browser brings back as it was, which has missed the events.
addEventListener('pageshow', () => drafts.changedElsewhere(null))
