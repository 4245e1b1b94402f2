import type { Request } from '#http'
import { isPlainObject, parseJson } from '#json'

/** A login whose page had a fragment: it waits for the fragment (`location`), or for the end of the login (`fragment`). */
export interface PendingFragment {
  /** URL of the page, on the origin of the request. */
  readonly page: string
  /** URL of the login page; null once the fragment is known. */
  readonly location: string | null
  /** With its `#`; null until it is known. */
  readonly fragment: string | null
}

/** Browsers reject longer cookies. */
const MAX_LENGTH = 3_800
const MAX_FRAGMENT = 2_000
const FRAGMENT = /^#[\x21-\x7e]+$/

/** The text of a cookie; null where it would be too long. */
export function formatPending(pending: PendingFragment): string | null {
  const text = Buffer.from(JSON.stringify(pending)).toString('base64url')
  return text.length > MAX_LENGTH ? null : text
}

/** The content of a cookie of a request; null without a valid one. */
export function pendingIn({ cookies }: Request, name: string): PendingFragment | null {
  const [cookie] = cookies[name] ?? []
  if (cookie === undefined || cookie.value.length > MAX_LENGTH) return null
  try {
    const content = parseJson(Buffer.from(cookie.value, 'base64url').toString('utf8'))
    if (!isPlainObject(content)) return null
    const { page, location = null, fragment = null } = content
    if (typeof page !== 'string' || !isTextOrNull(location) || !isTextOrNull(fragment)) return null
    if (location !== null && !isWebPage(location)) return null
    return { page, location, fragment: fragment === null ? null : validFragment(fragment) }
  } catch {
    return null
  }
}

/** A fragment as browsers send it, with `#`; null for anything else. */
export function validFragment(text: string): string | null {
  return text.length <= MAX_FRAGMENT && FRAGMENT.test(text) ? text : null
}

/** Whether a location can be that of a login page: not `javascript:`, for example. */
export function isWebPage(location: string): boolean {
  return /^(?:https?:\/)?\//i.test(location)
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}
