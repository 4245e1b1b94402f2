import { type Response, respond } from '#http'
import { flow } from '../lib/flow.ts'
import { type CallbackRequest, stateIn } from './callback-request.ts'
import { LoginRequestError } from './login-failure.ts'
import { isPosted, pendingLogins } from './pending-logins.ts'
import { responseCookies, seeCallback } from './posted-response-cookies.ts'

/** Bytes of a form with a code or a JWT. */
const MAX_FORM = 64 * 1024

/** Accepts a posted authorization response, and redirects the browser so that it sends the cookies of this site. */
export const postedResponse = flow<CallbackRequest>([
  { name: 'refuse forms that no registration asks for', when: expectsNoForm, answer: refuseForm },
  { name: 'read the form', prepare: readForm },
  { name: 'redirect without cookie where this browser began no login', when: hasNoCookie, answer: redirectWithoutForm },
  { name: 'redirect with the form in a cookie', answer: redirectWithForm },
])

function expectsNoForm({ settings }: CallbackRequest): boolean {
  return !settings.registrations.some(isPosted)
}

function refuseForm(): Response {
  return respond(405, { Allow: 'GET', 'Cache-Control': 'no-store' })
}

async function readForm(state: CallbackRequest): Promise<void> {
  const content = await state.exchange.request.body.read(MAX_FORM)
  state.parameters = new URLSearchParams(Buffer.from(content).toString('utf8'))
  state.key = await stateIn(state.parameters, state.settings)
}

/** Any site can post a form: one without a pending login of this browser sets no cookie. */
function hasNoCookie({ exchange, key, settings }: CallbackRequest): boolean {
  return pendingLogins.find(exchange, key, settings.clock.now()) === null
}

function redirectWithoutForm({ endpoint, action, key }: CallbackRequest): Response {
  return seeCallback(`${endpoint}/${action}`, key)
}

function redirectWithForm({ exchange, endpoint, action, key, parameters }: CallbackRequest): Response {
  const response = responseCookies.handOver(exchange, `${endpoint}/${action}`, key, parameters)
  if (response === null) throw new LoginRequestError('the posted authorization response is too large')
  return response
}
