import { FilterKind } from '#contracts'
import { type Cookie, type Filter, isPublicSuffix, parseSetCookie, type Request, type Response } from '#http'
import { config, defineType, list, oneOf, string } from '#schema'
import { claimContent, dropContentOfOthers } from '../../lib/sessions/application-content.ts'
import { CookieJar } from './cookie-jar.ts'

const ACTIONS = ['MANAGE', 'SUPPRESS', 'RELAY'] as const
type Action = (typeof ACTIONS)[number]

const names = () => list(config(string({ nonEmpty: true }))).default([])

/** Stores cookies of applications in the session, suppresses them, or relays them. */
export const CookieFilter = defineType({
  name: 'CookieFilter',
  kind: FilterKind,
  summary: 'Manages cookies of the application in the session, suppresses them, or relays them.',
  config: {
    managed: names().meta({
      description: 'Cookies stored in the session: the application gets them, the client does not.',
    }),
    suppressed: names().meta({ description: 'Cookies removed from requests and responses.' }),
    relayed: names().meta({ description: 'Cookies passed on unchanged in both directions.' }),
    defaultAction: config(oneOf(ACTIONS))
      .default('MANAGE')
      .meta({ description: 'Action for cookies that are in none of the lists.' }),
  },
  create: ({ managed, suppressed, relayed, defaultAction }, { clock }) => {
    // Loads the public suffix list at load, not with the first cookie.
    isPublicSuffix('')
    const actions = new Map<string, Action>()
    // A name in several lists: managed before suppressed before relayed.
    for (const name of relayed) actions.set(name.toLowerCase(), 'RELAY')
    for (const name of suppressed) actions.set(name.toLowerCase(), 'SUPPRESS')
    for (const name of managed) actions.set(name.toLowerCase(), 'MANAGE')
    return cookieActions(
      (name) => actions.get(name.toLowerCase()) ?? defaultAction,
      () => clock.now(),
    )
  },
})

function cookieActions(actionOf: (name: string) => Action, now: () => number): Filter {
  return async (exchange, next) => {
    const { request, session } = exchange
    const uri = request.uri.clone()
    dropContentOfOthers(exchange)
    // A managed cookie sent by the client was not set by the application.
    const ours = new CookieJar(session, now()).cookiesFor(uri).filter(({ name }) => actionOf(name) === 'MANAGE')
    const kept = relayedPairs(request, actionOf)
    const all = [...kept, ...ours.map(({ name, value }) => `${name}=${value}`)]
    request.headers.delete('cookie')
    if (all.length > 0) request.headers.add('Cookie', all.join('; '))
    const response = await next(exchange)
    const managed = takeSetCookies(response, actionOf)
    if (managed.length > 0) {
      new CookieJar(session, now()).keep(managed, uri)
      claimContent(exchange)
    }
    return response
  }
}

/** The relayed cookies of a request, unchanged. */
function relayedPairs(request: Request, actionOf: (name: string) => Action): string[] {
  return request.headers
    .all('cookie')
    .flatMap((field) => field.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => {
      const equals = pair.indexOf('=')
      return pair !== '' && actionOf(equals < 0 ? pair : pair.slice(0, equals).trim()) === 'RELAY'
    })
}

/** Removes managed and suppressed cookies from a response; returns the managed ones. */
function takeSetCookies({ headers }: Response, actionOf: (name: string) => Action): Cookie[] {
  const fields = headers.all('set-cookie').map((field) => ({ field, cookie: parseSetCookie(field) }))
  const relayed = fields.filter(({ cookie }) => actionOf(cookie.name) === 'RELAY')
  if (relayed.length < fields.length)
    headers.set(
      'Set-Cookie',
      relayed.map(({ field }) => field),
    )
  return fields.map(({ cookie }) => cookie).filter(({ name }) => actionOf(name) === 'MANAGE')
}
