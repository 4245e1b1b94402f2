import type { ServerView } from '../server-view.ts'

/** Servers that a request must not be sent to, by their slots: it has failed there, or their circuit is open. */
export interface Exclusion {
  excludes(slot: number): boolean
}

/** How one of the usable servers is chosen. */
export interface Policy {
  /** The usable servers, or their weights, have changed. */
  update(view: ServerView): void
  /** The position of a usable server, or -1. `key` is a hash of the request where it has one. Allocates nothing. */
  next(exclusion: Exclusion, key: number): number
}

/** The first server from a position on that is not excluded; -1 without one. */
export function firstFrom(start: number, view: ServerView, exclusion: Exclusion): number {
  const { usable } = view
  const count = usable.length
  for (let i = 0; i < count; i++) {
    const position = (start + i) % count
    if (!exclusion.excludes(usable[position]!.slot)) return position
  }
  return -1
}
