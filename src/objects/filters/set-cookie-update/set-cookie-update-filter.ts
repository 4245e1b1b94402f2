import { compileRegex, type Matcher } from '@identity-gateway/regex'
import { FilterKind } from '#contracts'
import {
  type Cookie,
  type Exchange,
  type Filter,
  formatSetCookie,
  InvalidCookieError,
  parseSetCookie,
  type Response,
} from '#http'
import { defineType, type Environment, map, type Runtime, runtime } from '#schema'
import { EVENTS } from '../log-events.ts'

/** Changes attributes of cookies in responses. */
export const SetCookieUpdateFilter = defineType({
  name: 'SetCookieUpdateFilter',
  kind: FilterKind,
  summary: 'Changes attributes of the cookies that responses set, such as SameSite and Secure.',
  events: [EVENTS.COOKIE_LEFT_OUT],
  config: {
    cookies: map(map(runtime('any'))).meta({
      description:
        'Patterns of cookie names, each with attributes and their new values: `value`, `domain`, `path`, `expires`, `max-age`, `secure`, `http-only`, `SameSite`. Null removes an attribute; `${previous}` is its value before. All patterns that match the whole name apply, in their order.',
    }),
  },
  check: ({ cookies }, report) => {
    for (const [name, attributes] of Object.entries(cookies)) {
      const at = `/cookies/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      try {
        compileRegex(name)
      } catch (error) {
        report(at, `expected a regular expression, got ${JSON.stringify(name)}: ${(error as Error).message}`)
      }
      for (const attribute of Object.keys(attributes)) {
        if (memberOf(attribute) !== null) continue
        report(`${at}/${attribute}`, `expected one of ${ATTRIBUTES.join(', ')}, got ${JSON.stringify(attribute)}`)
      }
    }
  },
  create: ({ cookies }, env) =>
    updateCookies(
      Object.entries(cookies).map(([name, attributes]) => updateOf(name, attributes)),
      env,
    ),
})

const ATTRIBUTES = ['value', 'domain', 'path', 'expires', 'max-age', 'secure', 'http-only', 'SameSite']

type Member = Exclude<keyof Cookie, 'name' | 'version'>

const MEMBERS: Readonly<Record<string, Member>> = {
  value: 'value',
  domain: 'domain',
  path: 'path',
  expires: 'expires',
  maxage: 'maxAge',
  secure: 'secure',
  httponly: 'httpOnly',
  samesite: 'sameSite',
}

/** The member of an attribute, in any case and with or without `-` and `_`. */
function memberOf(attribute: string): Member | null {
  return MEMBERS[attribute.toLowerCase().replaceAll(/[-_]/g, '')] ?? null
}

interface Update {
  readonly names: Matcher
  readonly attributes: readonly (readonly [Member, Runtime<unknown>])[]
}

function updateOf(pattern: string, attributes: Readonly<Record<string, Runtime<unknown>>>): Update {
  const members = Object.entries(attributes).map(([name, value]) => [memberOf(name) as Member, value] as const)
  return { names: compileRegex(pattern), attributes: members }
}

function updateCookies(updates: readonly Update[], { logger }: Pick<Environment, 'logger'>): Filter {
  return async (exchange, next) => {
    const response = await next(exchange)
    const sent = response.headers.all('set-cookie')
    if (sent.length === 0) return response
    try {
      const fields: string[] = []
      for (const field of sent) fields.push(...(await updated(field, updates, exchange, response, logger)))
      response.headers.set('Set-Cookie', fields)
      return response
    } catch (error) {
      response.body.cancel()
      throw error
    }
  }
}

/** The field with new attributes; unchanged where no pattern matches, absent where the result would be no valid cookie. */
async function updated(
  field: string,
  updates: readonly Update[],
  exchange: Exchange,
  response: Response,
  logger: Environment['logger'],
): Promise<string[]> {
  const cookie = parseSetCookie(field)
  const { name, value } = cookie
  const matching = updates.filter(({ names }) => names.matchWhole(name) !== null)
  if (matching.length === 0) return [field]
  try {
    const changes: Changes = new Map()
    for (const { attributes } of matching) {
      for (const [member, find] of attributes) {
        const previous = changes.has(member) ? changes.get(member) : (cookie[member] ?? null)
        changes.set(member, typedValue(member, await find(exchange, response, { previous })))
      }
    }
    return [changedField(field, { name, value }, changes)]
  } catch (error) {
    if (!(error instanceof InvalidCookieError)) throw error
    logger.limited(error.message).warn({ reason: error.message }, EVENTS.COOKIE_LEFT_OUT)
    return []
  }
}

/** New values of attributes; null removes one. */
type Changes = Map<Member, string | number | boolean | null>

/** Attributes that are not changed stay as they were sent, also those that the gateway does not know. */
function changedField(field: string, { name, value }: Cookie, changes: Changes): string {
  const [pair = '', ...attributes] = field.split(';').map((part) => part.trim())
  const kept = attributes.filter((attribute) => !changes.has(memberOf(attribute.split('=')[0] as string) as Member))
  const cookie = { name, value, ...Object.fromEntries([...changes].filter(([, each]) => each !== null)) }
  if (changes.get('value') === null) cookie.value = ''
  const [newPair = '', ...added] = formatSetCookie(cookie).split('; ')
  return [changes.has('value') ? newPair : pair, ...kept, ...added].join('; ')
}

function typedValue(member: Member, value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null
  if (member === 'secure' || member === 'httpOnly') return value === true || value === 'true' ? true : null
  if (member !== 'maxAge') return String(value)
  const seconds = Number(value)
  if (!Number.isSafeInteger(seconds))
    throw new InvalidCookieError(`max-age: expected whole seconds, got ${typeof value}`)
  return seconds
}
