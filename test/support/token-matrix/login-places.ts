// Places of a login by OpenID Connect: ID tokens, responses, user info and logout tokens.
import type { ReceivedResponse } from '../send-request.ts'
import { cookiesOf, type Make, newId, type Place, type Surroundings, verdictOf } from './place.ts'
import { claimsOf, compactOf, json, type Specimen } from './specimen.ts'
import { jsonAnswer } from './token-server.ts'

/** A login that a browser has begun. */
interface BegunLogin {
  readonly cookies: string
  readonly state: string
  readonly nonce: string
}

const BROWSER = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document', Accept: 'text/html' }

export function loginPlaces(around: Surroundings): readonly Place[] {
  const { keys } = around
  const signedInfo = (specimen: Specimen) => compactOf(specimen, keys)
  return [
    idTokenPlace(around),
    responsePlace(around),
    userInfoPlace(around, 'signed user info', 'application/jwt', signedInfo),
    userInfoPlace(around, 'user info as JSON', 'application/json', claimsOf),
    logoutPlace(around),
  ]
}

const LOGIN = 'AuthorizationCodeOAuth2ClientFilter'

function idTokenPlace(around: Surroundings): Place {
  const { keys } = around
  return {
    name: LOGIN,
    row: 'idToken',
    judges: 'ID tokens of logins',
    own: 'ID token',
    isOfResponse: false,
    offer: async (make) => {
      const begun = await begin(around, 'login')
      const code = newId()
      serveTokens(around, code, compactOf(make(begun), keys))
      return loginVerdict('login', await complete(around, 'login', { code, state: begun.state }, begun))
    },
  }
}

function responsePlace(around: Surroundings): Place {
  return {
    name: LOGIN,
    row: 'authorizationResponse',
    judges: 'authorization responses that are JWTs',
    own: 'authorization response',
    isOfResponse: false,
    offer: async (make) => {
      const begun = await begin(around, 'jarm')
      serveTokens(around, 'code', goodIdToken(around, begun.nonce))
      const parameters = { response: compactOf(make(begun), around.keys) }
      return loginVerdict('jarm', await complete(around, 'jarm', parameters, begun))
    },
  }
}

/** The page after the login shows a claim of the user info. */
function userInfoPlace(
  around: Surroundings,
  judges: string,
  type: string,
  content: (specimen: Specimen) => string | Buffer,
): Place {
  return {
    name: LOGIN,
    row: type === 'application/json' ? 'plainUserInfo' : 'userInfo',
    judges,
    own: 'user info',
    isOfResponse: type === 'application/json',
    offer: async (make: Make) => {
      const begun = await begin(around, 'login')
      const code = newId()
      serveTokens(around, code, goodIdToken(around, begun.nonce))
      around.server.answers.set(`/userinfo ${code}`, { type, content: content(make(begun)) })
      const answer = await complete(around, 'login', { code, state: begun.state }, begun)
      if (loginVerdict('login', answer) !== 'admitted') throw new Error(`a login failed with status ${answer.status}`)
      const page = await around.gateway.ask('/login/page', { headers: { Cookie: cookiesOf(answer) || begun.cookies } })
      return page.status === 200 && page.text !== 'ada' ? 'refused' : verdictOf(page)
    },
  }
}

function logoutPlace({ gateway, keys }: Surroundings): Place {
  return {
    name: LOGIN,
    row: 'logoutToken',
    judges: 'logout tokens',
    own: 'logout token',
    isOfResponse: false,
    offer: async (make) => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const body = new URLSearchParams({ logout_token: compactOf(make(), keys) }).toString()
      return verdictOf(await gateway.ask('/login/oidc/backchannel-logout', { method: 'POST', headers, body }))
    },
  }
}

async function begin({ gateway }: Surroundings, path: string): Promise<BegunLogin> {
  const begun = await gateway.ask(`/${path}/page`, { headers: BROWSER })
  const { searchParams } = new URL(begun.headers.location ?? '')
  const [nonce, state] = ['nonce', 'state'].map((name) => searchParams.get(name) ?? '') as [string, string]
  return { cookies: cookiesOf(begun), state, nonce }
}

function complete(
  { gateway }: Surroundings,
  path: string,
  parameters: Record<string, string>,
  { cookies }: BegunLogin,
): Promise<ReceivedResponse> {
  const query = new URLSearchParams(parameters).toString()
  return gateway.ask(`/${path}/oidc/callback?${query}`, { headers: { ...BROWSER, Cookie: cookies } })
}

/** A redirect to the page is a success. */
function loginVerdict(path: string, answer: ReceivedResponse) {
  return answer.status === 302 && answer.headers.location?.includes(`/${path}/page`) ? 'admitted' : verdictOf(answer)
}

function serveTokens({ server }: Surroundings, code: string, idToken: string): void {
  const tokens = { access_token: code, token_type: 'Bearer', expires_in: 600, id_token: idToken }
  server.answers.set(`/token ${code}`, jsonAnswer(tokens))
}

/** A session of its own, so that no logout token ends the login. */
function goodIdToken({ server, keys }: Surroundings, nonce: string): string {
  const now = Math.floor(Date.now() / 1_000)
  const claims = { iss: server.url, aud: 'shop', sub: 'ada', sid: newId(), iat: now, exp: now + 600, nonce }
  const members = (value: object) => Object.fromEntries(Object.entries(value).map(([name, each]) => [name, json(each)]))
  return compactOf({ header: members({ alg: 'ES256', kid: 'issuer' }), claims: members(claims) }, keys)
}
