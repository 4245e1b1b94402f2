import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { basic, form, type ManagerResponse, sendRequest } from '#test/access-manager-requests'
import { DevelopmentAccessManager } from '../../development-access-manager.ts'

const CALLBACK = 'https://app.example.com/callback'
const CDSSO = 'https://app.example.com/redirect'
const VERIFIER = 'a-verifier-of-at-least-forty-three-characters-in-length'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const CLIENT = basic('web', 'x')

const started = (family: 'pingam' | 'openam' = 'pingam'): Promise<DevelopmentAccessManager> =>
  DevelopmentAccessManager.start({
    family,
    users: [{ name: 'demo', password: 'changeit', attributes: { mail: ['demo@example.com'] } }],
    agents: [{ name: 'ig_agent', password: 'password', redirectUris: [CDSSO] }],
    clients: [
      {
        id: 'web',
        secret: 'x',
        scopes: ['openid', 'profile'],
        redirectUris: [CALLBACK],
        postLogoutRedirectUris: ['https://app.example.com/bye'],
      },
      { id: 'other', secret: 'x', scopes: ['openid'], redirectUris: [CALLBACK] },
    ],
  })

const ASKING = {
  client_id: 'web',
  response_type: 'code',
  scope: 'openid profile',
  redirect_uri: CALLBACK,
  state: 's1',
  nonce: 'n1',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
}

function authorize(
  manager: DevelopmentAccessManager,
  query: Record<string, string>,
  user = true,
): Promise<ManagerResponse> {
  const headers = user ? { Cookie: `iPlanetDirectoryPro=${manager.login('demo')}` } : {}
  return sendRequest(manager, 'GET', `/oauth2/authorize?${new URLSearchParams(query)}`, { headers })
}

const locationOf = ({ headers }: ManagerResponse): URL => new URL(headers.get('location') ?? 'about:blank')

async function codeOf(manager: DevelopmentAccessManager, query: Record<string, string> = ASKING): Promise<string> {
  return locationOf(await authorize(manager, query)).searchParams.get('code') ?? ''
}

function redeem(manager: DevelopmentAccessManager, code: string, fields = {}, who = CLIENT): Promise<ManagerResponse> {
  const given = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER, ...fields }
  return sendRequest(manager, 'POST', '/oauth2/access_token', form(given, who))
}

test('a logged-in user gets a code, which is exchanged for tokens', async () => {
  await using manager = await started()
  const location = locationOf(await authorize(manager, ASKING))
  assert.equal(`${location.origin}${location.pathname}`, CALLBACK)
  assert.equal(location.searchParams.get('state'), 's1')
  assert.equal(location.searchParams.get('iss'), `${manager.url}/oauth2`)
  const { body } = await redeem(manager, location.searchParams.get('code') ?? '')
  const claims = decodeJwt(String(body['id_token']))
  assert.deepEqual(
    [claims.iss, claims.aud, claims.sub, claims['nonce'], claims['tokenName']],
    [`${manager.url}/oauth2`, 'web', '(usr!demo)', 'n1', 'id_token'],
  )
  assert.equal(typeof body['refresh_token'], 'string')
  const Authorization = `Bearer ${body['access_token']}`
  const info = await sendRequest(manager, 'GET', '/oauth2/userinfo', { headers: { Authorization } })
  assert.deepEqual(info.body, { mail: 'demo@example.com', sub: '(usr!demo)', subname: 'demo' })
  assert.equal((await sendRequest(manager, 'GET', '/oauth2/userinfo')).status, 401)
})

test('a code is valid once, for its client, redirect URI and verifier, and two minutes', async () => {
  await using manager = await started()
  const refused = async (code: string, fields = {}, who = CLIENT): Promise<void> =>
    assert.equal((await redeem(manager, code, fields, who)).body['error'], 'invalid_grant')
  await refused('none')
  await refused(await codeOf(manager), { redirect_uri: 'https://elsewhere.example.com' })
  await refused(await codeOf(manager), { code_verifier: 'wrong' })
  await refused(await codeOf(manager), {}, basic('other', 'x'))
  const { code_challenge: _, code_challenge_method: __, ...plain } = ASKING
  await refused(await codeOf(manager, plain))
  const late = await codeOf(manager)
  manager.advance(120_000)
  await refused(late)
  const code = await codeOf(manager)
  const { body } = await redeem(manager, code)
  await refused(code)
  const info = await sendRequest(manager, 'GET', '/oauth2/userinfo', {
    headers: { Authorization: `Bearer ${body['access_token']}` },
  })
  assert.equal(info.status, 401, 'a second use revokes what the first gave')
})

test('a user without a session is redirected to the login page, which redirects back', async () => {
  await using manager = await started()
  const login = locationOf(await authorize(manager, { ...ASKING, service: 'StepUp' }, false))
  assert.equal(login.href.split('?')[0], `${manager.url}/`)
  assert.equal(login.searchParams.get('service'), 'StepUp')
  const back = new URL(login.searchParams.get('goto') ?? '')
  assert.equal(back.href.split('?')[0], `${manager.url}/oauth2/authorize`)
  assert.equal(back.searchParams.get('state'), 's1')
  const silent = locationOf(await authorize(manager, { ...ASKING, prompt: 'none' }, false))
  assert.equal(silent.searchParams.get('error'), 'login_required')
  const again = locationOf(await authorize(manager, { ...ASKING, prompt: 'login' }))
  assert.ok(!again.searchParams.get('goto')?.includes('prompt'))
})

test('an unknown client or redirect URI is an error page; other errors are redirected to the client', async () => {
  await using manager = await started()
  for (const query of [
    { ...ASKING, client_id: 'unknown' },
    { ...ASKING, redirect_uri: `${CALLBACK}/x` },
  ]) {
    const answer = await authorize(manager, query)
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null])
  }
  const twice = await sendRequest(manager, 'GET', `/oauth2/authorize?${new URLSearchParams(ASKING)}&client_id=other`)
  assert.equal(twice.status, 400)
  const error = async (query: Record<string, string>): Promise<string | null> =>
    locationOf(await authorize(manager, { ...ASKING, ...query })).searchParams.get('error')
  assert.equal(await error({ response_type: 'token' }), 'unsupported_response_type')
  assert.equal(await error({ scope: 'root' }), 'invalid_scope')
  assert.equal(await error({ code_challenge_method: 'plain' }), 'invalid_request')
})

test('an agent of another domain gets a signed token with the session, by a form', async () => {
  await using manager = await started()
  const answer = await authorize(manager, {
    client_id: 'ig_agent',
    response_type: 'id_token',
    scope: 'openid',
    response_mode: 'form_post',
    redirect_uri: CDSSO,
    state: 's2',
    nonce: 'n2',
    agent_provider: 'true',
    agent_realm: '/',
  })
  assert.equal(answer.status, 200)
  assert.ok(answer.text.includes(`action="${CDSSO}"`))
  assert.match(answer.text, /name="state" value="s2"/)
  const token = /name="id_token" value="([^"]+)"/.exec(answer.text)?.[1] ?? ''
  const claims = decodeJwt(token)
  assert.deepEqual([claims.aud, claims['nonce'], claims['agent_realm']], ['ig_agent', 'n2', '/'])
  const validate = (tokenId: string): Promise<ManagerResponse> =>
    sendRequest(manager, 'POST', '/json/sessions?_action=validate', { headers: { iPlanetDirectoryPro: tokenId } })
  assert.equal((await validate(String(claims['ssoToken']))).body['sessionUid'], claims['sessionUid'])
  assert.equal((await validate(token)).body['valid'], true)
  await using older = await started('openam')
  assert.equal((await authorize(older, { ...ASKING, client_id: 'ig_agent', agent_provider: 'true' })).status, 400)
})

test('requests can be pushed by the client, and are then used by their request_uri', async () => {
  await using manager = await started()
  const pushed = await sendRequest(manager, 'POST', '/oauth2/par', form(ASKING, CLIENT))
  assert.equal(pushed.status, 201)
  const request_uri = String(pushed.body['request_uri'])
  assert.notEqual(await codeOf(manager, { client_id: 'web', request_uri }), '')
  assert.equal((await authorize(manager, { client_id: 'other', request_uri })).status, 400)
  manager.advance(90_000)
  assert.equal((await authorize(manager, { client_id: 'web', request_uri })).status, 400)
  assert.equal((await sendRequest(manager, 'POST', '/oauth2/par', form(ASKING))).status, 401)
})

test('a logout by the client ends the session and redirects to one of its URLs', async () => {
  await using manager = await started()
  const { body } = await redeem(manager, await codeOf(manager))
  const hint = String(body['id_token'])
  const sent = { id_token_hint: hint, post_logout_redirect_uri: 'https://app.example.com/bye', state: 'a b' }
  const path = `/oauth2/connect/endSession?${new URLSearchParams(sent)}`
  assert.equal(locationOf(await sendRequest(manager, 'GET', path)).href, 'https://app.example.com/bye?state=a%20b')
  const elsewhere = { ...sent, post_logout_redirect_uri: 'https://evil.example.com/' }
  const stays = await sendRequest(manager, 'GET', `/oauth2/connect/endSession?${new URLSearchParams(elsewhere)}`)
  assert.equal(stays.headers.get('location'), null)
  const forged = { ...sent, id_token_hint: `${hint.slice(0, -8)}AAAAAAAA` }
  assert.equal(
    (await sendRequest(manager, 'GET', `/oauth2/connect/endSession?${new URLSearchParams(forged)}`)).status,
    400,
  )
})
