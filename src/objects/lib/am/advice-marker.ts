import { hash } from 'node:crypto'
import type { Uri } from '#http'

type Advices = Readonly<Record<string, readonly string[]>>

/** Query parameter of the URL to which the login page redirects a browser after an advice. */
const PARAMETER = '_advice'
const FORM = /^_advice=t([0-9a-z]{1,9})\.([\w-]{22})$/
/** Seconds after a redirect in which the same advice for the same subject is not redirected again (decisions 13). */
const LIFETIME = 30

/** An earlier redirect for an advice, read from the marker. */
export interface FollowedAdvice {
  /** Seconds since the epoch. */
  readonly at: number
  /** Digest of subject and advices. */
  readonly digest: string
}

/** Removes and returns the marker of a URI; other parameters are unchanged. A parameter of another form belongs to the application. */
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

/** Whether subject and advices are those of the last redirect: another one would start a redirect loop. */
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
