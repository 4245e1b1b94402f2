// Content of sessions after a login, and sessions that do not fit into cookies.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { BrowserLike } from '#test/browser-like'
import { logIn, openIdGateway } from '#test/openid-gateway'

const options = { timeout: 60_000 }
const session = {
  type: 'AuthenticatedEncryptedJwtSessionManager',
  config: { useCompression: false, cookie: { name: 'login-session' } },
}
const entity =
  '${contexts.oauth2Info.id_token_claims.sub}|${contexts.oauth2Info.id_token_claims.name}|${empty contexts.oauth2Info.access_token ? "none" : "token"}|${empty contexts.oauth2Info.id_token ? "none" : "id"}'
/** The claims of the user are in the ID token, not in user info alone. */
const configuration = { conformIdTokenClaims: false }

async function shown(sessionContent?: readonly string[]): Promise<{ text: string; size: number }> {
  const registration = sessionContent === undefined ? {} : { sessionContent }
  await using at = await openIdGateway({ session, entity, configuration, registration })
  const browser = new BrowserLike()
  const page = await logIn(browser, `${at.gateway.url}/app/page`)
  assert.equal(page.status, 200, page.text)
  return { text: page.text, size: browser.cookie(at.gateway.url, 'login-session')?.length ?? 0 }
}

test('claims are read from the ID token and not stored twice; sessionContent overrides that', options, async () => {
  const usual = await shown()
  assert.equal(usual.text, 'demo|demo of test|token|id')
  const twice = await shown(['accessToken', 'refreshToken', 'idToken', 'claims'])
  assert.equal(twice.text, usual.text)
  assert.ok(usual.size + 200 < twice.size, `${usual.size} and ${twice.size} characters`)
  const claims = await shown(['claims'])
  assert.equal(claims.text, 'demo|demo of test|none|none')
  assert.ok(claims.size < usual.size)
  assert.equal((await shown(['accessToken'])).text, 'demo||token|none')
})

test(
  'a session that does not fit into cookies: a page, and a log line that names RedisSessionManager',
  options,
  async () => {
    const account = { name: randomBytes(10_000).toString('base64') }
    await using at = await openIdGateway({ session, entity, configuration, account })
    const browser = new BrowserLike()
    const page = await logIn(browser, `${at.gateway.url}/app/page`)
    assert.equal(page.status, 500)
    assert.match(page.text, /Your session can not be saved/)
    const line = at.gateway.log.lines.find((text) => text.includes('session not saved: it is too large'))
    assert.match(line ?? '', /characters of cookies.*RedisSessionManager/)
  },
)
