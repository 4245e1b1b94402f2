import type { AmService, LoginRedirect } from '#contracts'
import { type Response, respond, type Uri } from '#http'
import { withTransaction } from '../../lib/am/transaction.ts'

/** Advices that a user can follow by logging in again. */
const FOLLOWED = new Set([
  'AuthLevelConditionAdvice',
  'AuthenticateToServiceConditionAdvice',
  'AuthenticateToRealmConditionAdvice',
  'AuthSchemeConditionAdvice',
  'TransactionConditionAdvice',
])

type Advices = Readonly<Record<string, readonly string[]>>

/** Whether another login could change the decision. */
export function canBeFollowed(advices: Advices): boolean {
  return Object.entries(advices).some(([name, values]) => FOLLOWED.has(name) && values.length > 0)
}

/** Redirects a browser to the login page for the advices, which then redirects back to a URL (protocol 5.1, 5.2). */
export function adviceRedirect(
  login: LoginRedirect,
  back: Uri,
  advices: Advices,
  encoding: 'base64url' | 'xml',
): Response | Promise<Response> {
  const [transaction] = advices['TransactionConditionAdvice'] ?? []
  const goto = transaction === undefined ? back.toString() : withTransaction(back, transaction)
  const xml = adviceXml(advices)
  const value = encoding === 'xml' ? xml : Buffer.from(xml).toString('base64url')
  return login.begin(307, goto, { xml, value })
}

/** Returns the advices in a header, in the exact form that client libraries parse (protocol 5.3). */
export function adviceHeader(amService: AmService, advices: Advices): Response {
  const encoded = Buffer.from(JSON.stringify(advices)).toString('base64')
  const challenge = `SSOADVICE realm="${amService.realm}",advices="${encoded}",am_uri="${amService.url}/"`
  return respond(401, { 'WWW-Authenticate': challenge, 'Cache-Control': 'no-store' })
}

function adviceXml(advices: Advices): string {
  const pairs = Object.entries(advices).map(([name, values]) => {
    const texts = values.map((value) => `<Value>${escaped(value)}</Value>`).join('')
    return `<AttributeValuePair><Attribute name="${escaped(name)}"/>${texts}</AttributeValuePair>`
  })
  return `<Advices>${pairs.join('')}</Advices>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
