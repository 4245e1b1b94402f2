import type { Exchange, Response, Uri } from '#http'
import { boolean, type Clock, config, object, string } from '#schema'
import { sameOriginGoto } from '../browser/same-origin-goto.ts'
import { redirectWithoutMarker } from './redirect-without-marker.ts'

/** The field `redirectionMarker` of single sign-on filters. */
export const redirectionMarkerField = () =>
  object({
    enabled: config(boolean()).default(true).meta({
      description:
        'Whether the URL for the return from the login page has a marker, by which redirect loops are detected.',
    }),
    name: config(string({ nonEmpty: true }))
      .default('_ig')
      .meta({ description: 'Query parameter of the marker; it is removed before the request is passed on.' }),
  })
    .default({})
    .meta({ description: 'Detection of redirect loops.' })

/** A query parameter of URLs to which a browser returns from the login page. */
export interface RedirectionMarker {
  /** Removes the marker; returns whether there was one that has not expired. */
  removeFrom(uri: Uri): boolean
  addTo(uri: Uri): string
  /** The URL without markers, for a link; `/` where it can not be one. */
  without(uri: Uri): string
  /** Redirects a navigation to the URL without the marker; null for other requests. */
  redirectWithout(exchange: Exchange): Response | null
}

/** Lifetime of a marker in seconds: one in a bookmarked URL must not reject a later login. */
const LIFETIME = 5 * 60
const TIME = /^t([0-9a-z]{1,9})$/

/** A disabled marker changes no URI. */
export function redirectionMarker(
  { enabled, name }: { enabled: boolean; name: string },
  clock: Clock,
): RedirectionMarker {
  const isMarker = (pair: string) => pair === name || pair.startsWith(`${name}=`)
  const now = () => Math.floor(clock.now() / 1_000)
  const isRecent = (pair: string) => {
    const time = TIME.exec(pair.slice(name.length + 1))?.[1]
    return time === undefined || now() - Number.parseInt(time, 36) < LIFETIME
  }
  /** Removes and returns the markers of a URI. */
  const removeMarkers = (uri: Uri): readonly string[] => {
    const { rawQuery } = uri
    if (!enabled || rawQuery === null || !rawQuery.includes(name)) return []
    const pairs = rawQuery.split('&')
    const markers = pairs.filter(isMarker)
    const kept = pairs.filter((pair) => !isMarker(pair))
    if (markers.length > 0) uri.rawQuery = kept.length === 0 ? null : kept.join('&')
    return markers
  }
  return {
    removeFrom: (uri) => removeMarkers(uri).some(isRecent),
    redirectWithout: (exchange) => redirectWithoutMarker(exchange, (uri) => removeMarkers(uri).length > 0),
    without: (uri) => {
      const copy = uri.clone()
      removeMarkers(copy)
      return sameOriginGoto(copy.toString(), uri) ?? '/'
    },
    addTo: (uri) => {
      const copy = uri.clone()
      removeMarkers(copy)
      if (!enabled) return copy.toString()
      const pair = `${name}=t${now().toString(36)}`
      copy.rawQuery = copy.rawQuery === null || copy.rawQuery === '' ? pair : `${copy.rawQuery}&${pair}`
      return copy.toString()
    },
  }
}
