import type { Exchange, Response, Uri } from '#http'
import { boolean, type Clock, config, object, string } from '#schema'
import { clearAddress } from './clear-address.ts'

/** The field `redirectionMarker` of single sign-on filters. */
export const redirectionMarkerField = () =>
  object({
    enabled: config(boolean()).default(true).meta({
      description: 'Whether the way back from the login page is marked, so that a login that does not stick ends.',
    }),
    name: config(string({ nonEmpty: true }))
      .default('_ig')
      .meta({ description: 'Query parameter that marks it; it is taken off before the request goes on.' }),
  })
    .default({})
    .meta({ description: 'How endless redirects are noticed.' })

/** Marks URLs to which a browser comes back from the login page. */
export interface RedirectionMarker {
  /** Whether the mark was there and is not an old one; it is taken off. */
  take(uri: Uri): boolean
  mark(uri: Uri): string
  /** Redirects a browser that opens a page with the mark to the page without it; null for other requests. */
  cleared(exchange: Exchange): Response | null
}

/** Seconds for which a marker counts: it stays in the address bar, and must not refuse a later login. */
const LIFETIME = 5 * 60
const TIME = /^t([0-9a-z]{1,9})$/

/** A marker of that name; one that is switched off marks nothing. */
export function redirectionMarker(
  { enabled, name }: { enabled: boolean; name: string },
  clock: Clock,
): RedirectionMarker {
  const isMark = (pair: string) => pair === name || pair.startsWith(`${name}=`)
  const now = () => Math.floor(clock.now() / 1_000)
  const isRecent = (pair: string) => {
    const time = TIME.exec(pair.slice(name.length + 1))?.[1]
    return time === undefined || now() - Number.parseInt(time, 36) < LIFETIME
  }
  /** The marks of a URI, which are taken off it. */
  const marksIn = (uri: Uri): readonly string[] => {
    const { rawQuery } = uri
    if (!enabled || rawQuery === null || !rawQuery.includes(name)) return []
    const pairs = rawQuery.split('&')
    const marks = pairs.filter(isMark)
    const kept = pairs.filter((pair) => !isMark(pair))
    if (marks.length > 0) uri.rawQuery = kept.length === 0 ? null : kept.join('&')
    return marks
  }
  return {
    take: (uri) => marksIn(uri).some(isRecent),
    cleared: (exchange) => clearAddress(exchange, (uri) => marksIn(uri).length > 0),
    mark: (uri) => {
      const copy = uri.clone()
      marksIn(copy)
      if (!enabled) return copy.toString()
      const pair = `${name}=t${now().toString(36)}`
      copy.rawQuery = copy.rawQuery === null || copy.rawQuery === '' ? pair : `${copy.rawQuery}&${pair}`
      return copy.toString()
    },
  }
}
