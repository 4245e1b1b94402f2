// Cross-domain login at OpenAM: ID tokens signed by HMAC with the password of the agent, which expire after seconds.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CompactSign, decodeJwt, type JWTPayload, SignJWT } from 'jose'
import { parseSetCookie } from '#http'
import type { JsonObject } from '#json'
import { type ProtectedPages, policy, protectedPages, READERS } from '#test/protected-pages'

const SITE = 'https://shop.test'
const REDIRECT = `${SITE}/agent/cdsso-oauth2`
const URL_OF_PAGE = `${SITE}/page?x=1`
const REALMS = ['/', '/alpha']
const MANAGER = {
  family: 'openam',
  agents: [{ name: 'ig_agent', password: 'password', redirectUris: [REDIRECT] }],
  users: REALMS.map((realm) => ({ name: 'demo', password: 'changeit', realm })),
} as const
const READERS_OF_SHOP = { ...READERS, resources: [`${SITE}/*`, `${SITE}/*?*`] }

const crossDomain = (config: JsonObject = {}): JsonObject => ({
  type: 'CrossDomainSingleSignOnFilter',
  config: { amService: 'am', redirectEndpoint: '/agent/cdsso-oauth2', ...config },
})

const shop = (filters: readonly JsonObject[] = [crossDomain()], am: JsonObject = {}) =>
  protectedPages(filters, { manager: MANAGER, am: { notifications: { enabled: false }, ...am } })

/** The form that the authorization endpoint has the browser of a logged-in user post. */
async function formAt(location: URL, session: string): Promise<Record<string, string>> {
  const page = await (await fetch(location, { headers: { Cookie: `iPlanetDirectoryPro=${session}` } })).text()
  const inputs = [...page.matchAll(/<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)]
  return Object.fromEntries(inputs.map(([, name, value]) => [name, value]))
}

/** Begins a login; `answer` posts a form as the same browser. */
async function begun(at: ProtectedPages, url = URL_OF_PAGE, headers: Record<string, string> = {}) {
  const { location, cookies } = await at.ask(null, { url, headers })
  const Cookie = cookies
    .map(parseSetCookie)
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  const answer = (form: Record<string, string>) => at.post(REDIRECT, new URLSearchParams(form).toString(), { Cookie })
  return { location: location as URL, answer }
}

const tokenCookie = (cookies: readonly string[]) =>
  cookies.map(parseSetCookie).find(({ name }) => name === 'gateway-cdsso')?.value ?? ''

/** Logs in; returns the header that the browser then sends. */
async function loggedIn(at: ProtectedPages, session = at.manager.login('demo')) {
  const { location, answer } = await begun(at)
  const form = await formAt(location, session)
  const { status, cookies } = await answer(form)
  assert.equal(status, 302)
  return { session, form, headers: { Cookie: `gateway-cdsso=${tokenCookie(cookies)}` } }
}

const visit = async (at: ProtectedPages, headers: Record<string, string>) =>
  (await at.ask(null, { url: URL_OF_PAGE, headers })).status

/** Signs claims as OpenAM does for an agent with that password. */
function keyOf(password: string): Buffer {
  return Buffer.from(`{SHA-1}${createHash('sha1').update(password).digest('base64')}`)
}

function signed(claims: JWTPayload, password = 'password'): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(keyOf(password))
}

test('the token is verified by the HMAC key of the password; the login lasts as long as the session', async () => {
  await using at = await shop()
  const { session, form, headers } = await loggedIn(at)
  const { exp = 0, iat = 0, ssoToken, sub } = decodeJwt(form['id_token'] ?? '')
  assert.deepEqual([Math.round((exp - iat) * 10), ssoToken, sub], [36, session, undefined])
  assert.equal(await visit(at, headers), 200)
  at.clock.advance(20 * 60_000)
  assert.equal(await visit(at, headers), 200, 'exp is over, the session is not')
  at.manager.endSession(session)
  assert.equal(await visit(at, headers), 302)
})

test('the token does not stay in the address bar: OpenAM posts to a URL with the token in its fragment', async () => {
  await using at = await shop()
  const { location, answer } = await begun(at)
  const page = await (
    await fetch(location, { headers: { Cookie: `iPlanetDirectoryPro=${at.manager.login('demo')}` } })
  ).text()
  assert.match(page, /<form method="post" action="[^"]*\/agent\/cdsso-oauth2#[^"]*id_token=/)
  const { location: goto } = await answer(await formAt(location, at.manager.login('demo')))
  // A browser keeps the fragment of a redirected request where the Location has none.
  assert.match(String(goto), /\/page\?x=1.*#$/)
})

test('exp is checked when the token arrives', async () => {
  await using at = await shop()
  const { location, answer } = await begun(at)
  const form = await formAt(location, at.manager.login('demo'))
  at.clock.advance(70_000)
  assert.equal((await answer(form)).status, 403)
})

test('a clock skew of one minute is allowed', async () => {
  for (const difference of [-50_000, 50_000]) {
    await using at = await shop()
    at.clock.advance(difference)
    const { location, answer } = await begun(at)
    assert.equal((await answer(await formAt(location, at.manager.login('demo')))).status, 302)
  }
})

test('a token signed by another password, for another agent, of another login, or with alg none is rejected', async () => {
  await using at = await shop()
  const { location, answer } = await begun(at)
  const { id_token: jwt = '', state = '' } = await formAt(location, at.manager.login('demo'))
  const claims = decodeJwt(jwt)
  const twice = Buffer.from(JSON.stringify(claims).replace('}', ',"aud":"ig_agent"}'))
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${jwt.split('.')[1]}.`
  for (const id_token of [
    await signed(claims, 'another password'),
    await signed({ ...claims, aud: 'another_agent' }),
    await signed({ ...claims, nonce: 'another' }),
    await signed({ ...claims, iss: 'https://elsewhere.example/oauth2' }),
    none,
    await new CompactSign(twice).setProtectedHeader({ alg: 'HS256' }).sign(keyOf('password')),
  ])
    assert.equal((await answer({ state, id_token })).status, 403)
  assert.equal((await answer({ state, id_token: await signed(claims) })).status, 302)
})

test('a session of another realm is not accepted', async () => {
  await using at = await shop()
  const { form } = await loggedIn(at)
  const ssoToken = at.manager.login('demo', '/alpha')
  const foreign = await signed({ ...decodeJwt(form['id_token'] ?? ''), ssoToken })
  const headers = { Cookie: `gateway-cdsso=${foreign}` }
  assert.equal(await visit(at, headers), 302)
  await using shared = await shop([crossDomain()], { sharedRealms: ['/alpha'] })
  const session = shared.manager.login('demo', '/alpha')
  const { form: own } = await loggedIn(shared)
  const token = await signed({ ...decodeJwt(own['id_token'] ?? ''), ssoToken: session })
  assert.equal(await visit(shared, { Cookie: `gateway-cdsso=${token}` }), 200)
})

test('an advice redirects to the login page, and from there to the token of the stronger session', async () => {
  await using at = await shop([crossDomain(), policy({ ssoTokenSubject: '${contexts.cdsso.value}' })])
  at.manager.putPolicy({ ...READERS_OF_SHOP, condition: { type: 'AuthLevel', authLevel: 3 } })
  const { headers, session } = await loggedIn(at)
  const { location, answer } = await begun(at, URL_OF_PAGE, headers)
  assert.equal(location.pathname, '/openam/')
  assert.match(location.searchParams.get('sunamcompositeadvice') ?? '', /^<Advices>.*AuthLevelConditionAdvice/)
  const shown = await (await fetch(location, { headers: { Cookie: `iPlanetDirectoryPro=${session}` } })).text()
  const authId = /name="authId" value="([^"]+)"/.exec(shown)?.[1] ?? ''
  const body = new URLSearchParams({ authId, IDToken1: 'demo', IDToken2: 'changeit' })
  const Cookie = `iPlanetDirectoryPro=${session}`
  const entered = await fetch(location, { method: 'POST', headers: { Cookie }, body, redirect: 'manual' })
  const stronger = /=([^;]*)/.exec(entered.headers.getSetCookie()[0] ?? '')?.[1] ?? ''
  const form = await formAt(new URL(entered.headers.get('location') as string), stronger)
  const { status, cookies } = await answer(form)
  assert.equal(status, 302)
  assert.equal(await visit(at, { Cookie: `gateway-cdsso=${tokenCookie(cookies)}` }), 200)
})
