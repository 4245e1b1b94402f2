import { hash } from 'node:crypto'
import type { Uri } from '#http'

type Advices = Readonly<Record<string, readonly string[]>>

/** Query parameter of the URL that a browser comes back to after it was sent to follow an advice. */
const PARAMETER = '_advice'
const FORM = /^_advice=t([0-9a-z]{1,9})\.([\w-]{22})$/
/** How long after the redirect the same advice for the same subject ends the redirects (decisions 13). */
const LIFETIME = 30

/** An advice redirect that a request comes back from. */
export interface FollowedAdvice {
  /** Seconds since the epoch. */
  readonly at: number
  /** Digest of subject and advices. */
  readonly digest: string
}

/** Removes the marker from a URI, whose other parameters stay as they were written; parameters of another form are the application's. */
export function takeAdviceMarker(uri: Uri): FollowedAdvice | null {
  const { rawQuery } = uri
  if (rawQuery === null || !rawQuery.includes(PARAMETER)) return null
  const pairs = rawQuery.split('&')
  const kept = pairs.filter((pair) => !FORM.test(pair))
  if (kept.length === pairs.length) return null
  uri.rawQuery = kept.length === 0 ? null : kept.join('&')
  const [, at = '', digest = ''] = pairs.map((pair) => FORM.exec(pair)).findLast((found) => found !== null) ?? []
  return { at: Number.parseInt(at, 36), digest }
}

/** Adds the marker to a URI. */
export function addAdviceMarker(uri: Uri, subject: object, advices: Advices, now: number): void {
  const pair = `${PARAMETER}=t${Math.floor(now / 1_000).toString(36)}.${digestOf(subject, advices)}`
  uri.rawQuery = uri.rawQuery === null || uri.rawQuery === '' ? pair : `${uri.rawQuery}&${pair}`
}

/** Whether advices are those that the browser has just followed, with the subject unchanged: another redirect would not end. */
export function isRepeated(
  followed: FollowedAdvice | null,
  subject: object,
  advices: Advices,
  now: number,
): followed is FollowedAdvice {
  if (followed === null || Math.abs(now / 1_000 - followed.at) > LIFETIME) return false
  return followed.digest === digestOf(subject, advices)
}

function digestOf(subject: object, advices: Advices): string {
  const sorted = Object.keys(advices)
    .sort()
    .map((name) => [name, advices[name]])
  return hash('sha256', JSON.stringify([subject, sorted]), 'base64url').slice(0, 22)
}
