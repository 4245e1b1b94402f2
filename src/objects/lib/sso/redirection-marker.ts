import type { Uri } from '#http'
import { boolean, config, object, string } from '#schema'

/** The field `redirectionMarker` of single sign-on filters. */
export const redirectionMarkerField = () =>
  object({
    enabled: config(boolean())
      .prefault(true)
      .meta({
        description: 'Whether the way back from the login page is marked, so that a login that does not stick ends.',
      }),
    name: config(string({ nonEmpty: true }))
      .prefault('_ig')
      .meta({ description: 'Query parameter that marks it; it is taken off before the request goes on.' }),
  })
    .prefault({})
    .meta({ description: 'How endless redirects are noticed.' })

/** Marks URLs to which a browser comes back from the login page. */
export interface RedirectionMarker {
  /** Whether the mark was there; it is taken off. */
  take(uri: Uri): boolean
  mark(uri: Uri): string
}

const VALUE = '1'

/** A marker of that name; one that is switched off marks nothing. */
export function redirectionMarker({ enabled, name }: { enabled: boolean; name: string }): RedirectionMarker {
  const isMark = (pair: string) => pair === name || pair.startsWith(`${name}=`)
  const take = (uri: Uri): boolean => {
    const { rawQuery } = uri
    if (!enabled || rawQuery === null || !rawQuery.includes(name)) return false
    const kept = rawQuery.split('&').filter((pair) => !isMark(pair))
    const found = kept.length < rawQuery.split('&').length
    if (found) uri.rawQuery = kept.length === 0 ? null : kept.join('&')
    return found
  }
  return {
    take,
    mark: (uri) => {
      const copy = uri.clone()
      take(copy)
      if (!enabled) return copy.toString()
      const pair = `${name}=${VALUE}`
      copy.rawQuery = copy.rawQuery === null || copy.rawQuery === '' ? pair : `${copy.rawQuery}&${pair}`
      return copy.toString()
    },
  }
}
