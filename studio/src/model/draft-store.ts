/** Unsaved text of a route, kept in the browser until it is deployed or discarded. */
export interface Draft {
  readonly text: string
  /** The text that the draft was made from, and its revision; both null for a route that does not exist yet. */
  readonly base: string | null
  readonly sourceRev: string | null
}

/** A draft that another tab has, or had before it was closed. */
export interface OtherDraft {
  readonly key: string
  /** Milliseconds since 1970 of its last change. */
  readonly at: number
}

/** A draft as it was stored last: where, and its JSON. */
interface Copy {
  readonly key: string
  readonly stored: string
}

type StoredDraft = Draft & { readonly at: number }

const PREFIX = 'studio.draft'
const KEY = /^studio\.draft(?:\.\w+)?:(.*)$/s
/** Start of what follows the router in the key of a route of another router, below a route of it. */
const BELOW = /^routes\/[^/]+\/objects\//
/** Bounds of the drafts of one route beside the one of this tab. The newest has no limit of age. */
const MOST_OTHERS = 10
const OTHERS_LAST = 30 * 24 * 3600_000
/** Start of what is in place of a copy: the time of the draft that was deployed, so that no tab stores it again. */
const MARK = '{"deployed":'

/**
 * The drafts of one tab. A tab has its drafts in its session storage, which survives a reload and which no other tab sees,
 * and a copy of each in local storage, which survives the tab. A tab replaces or removes a copy only while it is as
 * the tab has stored or opened it, and stores its own again where another tab did so; a draft that another tab has deployed
 * as it is, it forgets.
 */
export class DraftStore {
  readonly #local: () => Storage
  readonly #session: () => Storage
  /** Drafts that were typed or begun in this tab, by router and id. */
  readonly #own = new Map<string, Copy>()
  /** Drafts of other tabs that are shown here, and belong to this tab with its first change. */
  readonly #shown = new Map<string, Copy>()
  readonly #listeners = new Set<() => void>()

  /** Functions, because a browser that blocks storage throws where it is named. */
  constructor(local: () => Storage, session: () => Storage) {
    this.#local = local
    this.#session = session
    attempt(() => {
      for (const key of keysOf(session())) {
        const route = KEY.exec(key)?.[1]
        if (route !== undefined) this.#own.set(route, JSON.parse(session().getItem(key) ?? '') as Copy)
      }
    })
  }

  /** The draft of this tab; without one the newest of the others. */
  read(router: string, id: string): Draft | null {
    const route = routeOf(router, id)
    const own = this.#own.get(route)
    if (own !== undefined) return parsed(own.stored)
    this.#shown.delete(route)
    const newest = this.#copies(route)[0]
    if (newest === undefined) return null
    this.#shown.set(route, newest)
    return parsed(newest.stored)
  }

  /** Stores the draft of this tab; false where the browser does not allow it. */
  write(router: string, id: string, draft: Draft): boolean {
    const route = routeOf(router, id)
    const before = this.#own.get(route) ?? this.#shown.get(route)
    // Looking at a draft of another tab makes no second one.
    if (before !== undefined && isSame(parsed(before.stored), draft)) return !this.#own.has(route) || this.#keep(route)
    return this.#store(route, before, JSON.stringify({ ...draft, at: Date.now() } satisfies StoredDraft))
  }

  /** Begins another draft; one that this tab has already becomes one of the others. */
  begin(router: string, id: string, draft: Draft): void {
    this.#forget(routeOf(router, id))
    this.write(router, id, draft)
  }

  /** Removes the draft of this tab. */
  remove(router: string, id: string): void {
    const route = routeOf(router, id)
    const copy = this.#own.get(route) ?? this.#shown.get(route)
    if (copy === undefined) return
    this.#forget(route)
    attempt(() => {
      if (this.#local().getItem(copy.key) === copy.stored) this.#local().removeItem(copy.key)
    })
    this.#changed()
  }

  /** Removes the draft that this tab has deployed, also from the tab that has typed it and does not change it any more. */
  deployed(router: string, id: string): void {
    const route = routeOf(router, id)
    const copy = this.#own.get(route) ?? this.#shown.get(route)
    if (copy === undefined) return
    this.#forget(route)
    attempt(() => {
      const local = this.#local()
      for (const key of keysOf(local)) if (isUseless(key, local.getItem(key), route)) local.removeItem(key)
      // In one step: a tab that saw the removal alone would store its draft again.
      if (local.getItem(copy.key) === copy.stored) local.setItem(copy.key, `${MARK}${parsed(copy.stored)?.at ?? 0}}`)
    })
    this.#changed()
  }

  /** Drafts of a route beside the one of this tab, the newest first. */
  others(router: string, id: string): readonly OtherDraft[] {
    return this.#others(routeOf(router, id)).map(({ key, at }) => ({ key, at }))
  }

  /** Makes one of the others the draft of this tab, and the draft of this tab one of the others. */
  open(router: string, id: string, key: string): Draft | null {
    const route = routeOf(router, id)
    const copy = this.#copies(route).find((one) => one.key === key)
    if (copy === undefined) return null
    this.#forget(route)
    this.#hold(route, copy)
    this.#changed()
    return parsed(copy.stored)
  }

  /** Ids of the routes of a router that have a draft. */
  ids(router: string): readonly string[] {
    const prefix = `${router}/`
    const keys = attempt(() => keysOf(this.#local()).filter((key) => markIn(this.#local().getItem(key)) === null)) ?? []
    const routes = keys.flatMap((key) => KEY.exec(key)?.[1] ?? [])
    const ids = routes.filter((route) => route.startsWith(prefix)).map((route) => route.slice(prefix.length))
    return [...new Set(ids.filter((id) => !BELOW.test(id)))].sort()
  }

  /** Another tab has changed the copy at a key, or any with null: drafts of this tab are stored again. */
  changedElsewhere(key: string | null): void {
    for (const [route, own] of this.#own) {
      if (key === null || key === own.key) this.#keep(route)
    }
    this.#changed()
  }

  /** Calls a function after each change of a draft, also by another tab. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Stores the draft of this tab again where its copy is another one; false where the browser does not allow it. */
  #keep(route: string): boolean {
    const own = this.#own.get(route)
    const found = own === undefined ? null : attempt(() => this.#local().getItem(own.key))
    if (own === undefined || found === own.stored) return true
    const mark = markIn(found)
    if (mark !== null && mark === parsed(own.stored)?.at) {
      this.#forget(route)
      return true
    }
    return this.#store(route, own, own.stored)
  }

  #store(route: string, before: Copy | undefined, stored: string): boolean {
    const found = before === undefined ? undefined : attempt(() => this.#local().getItem(before.key))
    // Another content is the draft of another tab.
    const isFree = before !== undefined && (found === null || found === before.stored || markIn(found) !== null)
    const key = isFree ? before.key : `${PREFIX}.${crypto.getRandomValues(new Uint32Array(2)).join('')}:${route}`
    this.#hold(route, { key, stored })
    const isStored = attempt(() => {
      this.#local().setItem(key, stored)
      if (!isFree) this.#removeOld(route)
      return true
    })
    this.#changed()
    return isStored ?? false
  }

  #hold(route: string, copy: Copy): void {
    this.#own.set(route, copy)
    attempt(() => this.#session().setItem(`${PREFIX}:${route}`, JSON.stringify(copy)))
  }

  #forget(route: string): void {
    this.#own.delete(route)
    this.#shown.delete(route)
    attempt(() => this.#session().removeItem(`${PREFIX}:${route}`))
  }

  #others(route: string) {
    const key = (this.#own.get(route) ?? this.#shown.get(route))?.key
    return this.#copies(route).filter((copy) => copy.key !== key)
  }

  #copies(route: string): (Copy & { readonly at: number })[] {
    const keys = attempt(() => keysOf(this.#local()).filter((key) => KEY.exec(key)?.[1] === route)) ?? []
    return keys
      .flatMap((key) => {
        const stored = this.#local().getItem(key) ?? ''
        const draft = parsed(stored)
        return draft === null ? [] : [{ key, stored, at: draft.at }]
      })
      .sort((left, right) => right.at - left.at)
  }

  #removeOld(route: string): void {
    const oldest = Date.now() - OTHERS_LAST
    for (const [index, { key, at }] of this.#others(route).entries()) {
      if (index >= MOST_OTHERS || (index > 0 && at < oldest)) this.#local().removeItem(key)
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

function routeOf(router: string, id: string): string {
  return `${router}/${id}`
}

function keysOf(storage: Storage): string[] {
  return Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '')
}

/** Null for another content. */
function parsed(stored: string): StoredDraft | null {
  const draft = attempt(() => JSON.parse(stored) as StoredDraft | null)
  return typeof draft?.text === 'string' ? { ...draft, at: draft.at ?? 0 } : null
}

/** The time of the draft that was deployed; null for another content. */
function markIn(stored: string | null | undefined): number | null {
  return stored?.startsWith(MARK) ? Number.parseInt(stored.slice(MARK.length), 10) : null
}

/** Whether this is a mark of an earlier deployment of a route, or older than the drafts that tabs have. */
function isUseless(key: string, stored: string | null, route: string): boolean {
  const mark = markIn(stored)
  return mark !== null && (KEY.exec(key)?.[1] === route || mark < Date.now() - OTHERS_LAST)
}

function isSame(stored: Draft | null, draft: Draft): boolean {
  return stored?.text === draft.text && stored.base === draft.base && stored.sourceRev === draft.sourceRev
}

/** Storage that is blocked, full or has another content is as good as none. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}
