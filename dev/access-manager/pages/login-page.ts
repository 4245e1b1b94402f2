import type { CallbackDialogue } from '../authentication/callbacks.ts'
import { isEnough, type LoginMethod, readPageLoginMethod } from '../authentication/login-method.ts'
import { expiredCookies, type Logins, sessionCookies } from '../authentication/logins.ts'
import type { Call, Endpoint } from '../http/call.ts'
import type { EndpointResponse } from '../http/endpoint-response.ts'
import { isMediaType } from '../http/request-body.ts'
import { callerOf } from '../json/caller.ts'
import type { CompleteSettings } from '../settings.ts'
import type { Session, Sessions } from '../state/sessions.ts'
import { gotoTarget, validatedGoto } from './goto.ts'
import { escaped, hidden, page, redirect } from './html.ts'

interface PageParts {
  readonly settings: CompleteSettings
  readonly sessions: Sessions
  readonly logins: Logins
  readonly dialogue: CallbackDialogue
  /** Base URL of the server. */
  readonly base: string
}

/** The login page, for browsers redirected by a gateway. */
export class LoginPage implements Endpoint {
  readonly name = 'login'
  readonly methods = ['GET', 'POST']
  readonly #parts: PageParts

  constructor(parts: PageParts) {
    this.#parts = parts
  }

  handle(call: Call): EndpointResponse {
    const { settings, sessions, base } = this.#parts
    const goto = call.query.get('goto')
    const { gotoPatterns } = settings
    const target =
      gotoPatterns === null ? gotoTarget(goto, base, settings.gotoHosts) : validatedGoto(goto, base, gotoPatterns)
    if (target === null) return page('Not there', '<p>This server does not send anybody to that address.</p>', 400)
    const method = readPageLoginMethod(call.query, settings)
    if (method?.kind !== 'user') return page('No such login', '<p>There is no login of this kind.</p>', 400)
    const current = callerOf(call.headers, settings.cookieName, sessions)
    return call.method === 'POST'
      ? this.#enter(call, method, target, current)
      : this.#show(call, method, target, current)
  }

  #show(call: Call, method: LoginMethod, target: string, current: Session | undefined): EndpointResponse {
    if (!isEnough(current, call.realm, method)) return this.#form(call, '')
    if (call.query.has('goto')) return redirect(target)
    return page('Logged in', `<p>You are ${escaped(current.owner.name)}.</p>`)
  }

  #enter(call: Call, method: LoginMethod, target: string, current: Session | undefined): EndpointResponse {
    const { settings, logins, dialogue } = this.#parts
    if (!isMediaType(call.headers['content-type'], 'application/x-www-form-urlencoded'))
      return page('Not a form', '<p>The form came in another form.</p>', 415)
    const form = new URLSearchParams(call.body)
    if (!dialogue.isFresh(form.get('authId') ?? '', call.realm)) return this.#form(call, 'That took too long.')
    const credentials = { name: form.get('IDToken1') ?? '', password: form.get('IDToken2') ?? '' }
    const session = logins.enter(method, call.realm, credentials, current)
    if (session === null) return this.#form(call, 'Authentication failed.', 401)
    return redirect(target, { 'Set-Cookie': sessionCookies(session, settings) })
  }

  #form({ query, realm }: Call, message: string, status = 200): EndpointResponse {
    const again = `?${query}`
    const body =
      (message === '' ? '' : `<p role="alert">${escaped(message)}</p>`) +
      `<form method="post" action="${escaped(again)}">${hidden('authId', this.#parts.dialogue.ticket(realm))}` +
      '<label>User name <input name="IDToken1" autocomplete="username" autofocus></label>' +
      '<label>Password <input name="IDToken2" type="password" autocomplete="current-password"></label>' +
      '<button name="Login.Submit">Log in</button></form>'
    return page('Log in', body, status)
  }
}

/** `UI/Logout`: ends the session of the browser. */
export function logoutPage({ settings, sessions, base }: PageParts): Endpoint {
  return {
    name: 'logout',
    methods: ['GET', 'POST'],
    handle: ({ headers, query }) => {
      const target = gotoTarget(query.get('goto'), base, settings.gotoHosts)
      const session = callerOf(headers, settings.cookieName, sessions)
      if (session !== undefined) sessions.end(session, 'LOGOUT')
      const expired = { 'Set-Cookie': expiredCookies(settings) }
      if (target !== null && query.has('goto')) return redirect(target, expired)
      const answer = page('Logged out', '<p>You are logged out.</p>')
      return { ...answer, headers: { ...answer.headers, ...expired } }
    },
  }
}
