import { type Exchange, formatSetCookie, isPublicSuffix, isToken, type Request, type Response } from '#http'
import { boolean, config, object, oneOf, string } from '#schema'

/** The `cookie` field of session managers. */
export const sessionCookieFields = (name: string) =>
  object({
    name: config(string({ nonEmpty: true }))
      .default(name)
      .meta({ description: 'Name of the cookie. A name that starts with `__Host-` or `__Secure-` makes it Secure.' }),
    domain: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Domain of the cookie; by default it is sent only to the host of the request.' }),
    path: config(string({ nonEmpty: true }))
      .default('/')
      .meta({ description: 'Path of the cookie.' }),
    httpOnly: config(boolean())
      .default(true)
      .meta({ description: 'Whether the cookie is hidden from scripts of pages (`HttpOnly`).' }),
    sameSite: config(oneOf(['LAX', 'STRICT', 'NONE']))
      .default('LAX')
      .meta({ description: 'Whether browsers send it with requests that other sites start (`SameSite`).' }),
    secure: config(boolean())
      .optional()
      .meta({ description: 'Whether it is sent over TLS only; by default true if the request was received over TLS.' }),
  }).default({})

export interface SessionCookieSettings {
  readonly name: string
  readonly domain?: string | undefined
  readonly path: string
  readonly httpOnly: boolean
  readonly sameSite: 'LAX' | 'STRICT' | 'NONE'
  readonly secure?: boolean | undefined
}

/** Reports cookie settings that browsers would reject (threats B44). */
export function reportCookie(
  cookie: SessionCookieSettings,
  report: (path: string, message: string) => void,
  field = '/cookie',
): void {
  const problem = cookieProblem(cookie)
  if (problem !== null) report(`${field}/${problem.field}`, problem.message)
}

function cookieProblem(cookie: SessionCookieSettings): { field: string; message: string } | null {
  const { name, domain, path, sameSite, secure } = cookie
  if (!isToken(name))
    return { field: 'name', message: `expected letters, digits and hyphens, got ${JSON.stringify(name)}` }
  if (isPrefixed(name) && secure === false)
    return { field: 'secure', message: `expected true, because browsers refuse the cookie ${name} without it` }
  if (name.startsWith('__Host-') && domain !== undefined)
    return { field: 'domain', message: `expected no domain, because browsers refuse it with the cookie ${name}` }
  if (domain !== undefined && isPublicSuffix(domain.replace(/^\./, '').toLowerCase()))
    return {
      field: 'domain',
      message: `expected a domain of one owner, because browsers refuse cookies for the public suffix ${JSON.stringify(domain)}`,
    }
  if (name.startsWith('__Host-') && path !== '/')
    return { field: 'path', message: `expected "/", because browsers refuse the cookie ${name} with another path` }
  if (sameSite === 'NONE' && secure === false)
    return { field: 'secure', message: 'expected true, because browsers refuse SameSite=None without it' }
  return null
}

/** Sets a cookie in a response; an empty value deletes it. */
export function writeCookie(
  response: Response,
  exchange: Exchange,
  cookie: SessionCookieSettings,
  name: string,
  value: string,
  maxAge?: number,
): void {
  const { domain, path, httpOnly, sameSite } = cookie
  const secure = cookie.secure ?? (exchange.originalUri.scheme === 'https' || isPrefixed(name) || sameSite === 'NONE')
  const age =
    value === '' ? { maxAge: 0, expires: 'Thu, 01 Jan 1970 00:00:00 GMT' } : maxAge === undefined ? {} : { maxAge }
  response.headers.add(
    'Set-Cookie',
    formatSetCookie({
      name,
      value,
      path,
      ...(domain === undefined ? {} : { domain }),
      ...age,
      secure,
      httpOnly,
      sameSite: SAME_SITE[sameSite],
    }),
  )
}

const SAME_SITE = { LAX: 'Lax', STRICT: 'Strict', NONE: 'None' }

/** Removes cookies from the request and returns their values by name. */
export function takeCookies(request: Request, isOurs: (name: string) => boolean): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  const { cookies } = request
  for (const name of Object.keys(cookies)) {
    if (isOurs(name))
      found.set(
        name,
        cookies[name]!.map(({ value }) => value),
      )
  }
  if (found.size > 0) removeCookies(request, isOurs)
  return found
}

/** Removes cookies from the header field; the rest keeps its spelling. */
function removeCookies(request: Request, isOurs: (name: string) => boolean): void {
  const kept = request.headers.all('cookie').flatMap((field) => {
    const pairs = field.split(';').filter((pair) => {
      const equals = pair.indexOf('=')
      return equals < 0 || !isOurs(pair.slice(0, equals).trim())
    })
    const text = pairs.join(';').trim()
    return text === '' ? [] : [text]
  })
  request.headers.delete('cookie')
  for (const field of kept) request.headers.add('Cookie', field)
}

function isPrefixed(name: string): boolean {
  return name.startsWith('__Host-') || name.startsWith('__Secure-')
}
