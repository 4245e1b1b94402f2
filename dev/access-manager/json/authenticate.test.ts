import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentToken, login, sendRequest } from '#test/access-manager-requests'
import { DevelopmentAccessManager } from '../development-access-manager.ts'

const JOURNEY = '?authIndexType=service&authIndexValue=Agent'
const MODULE = '?authIndexType=module&authIndexValue=Application'

test('an agent logs in by its journey or by the module, with token in body and cookie', async () => {
  await using manager = await DevelopmentAccessManager.start()
  for (const method of [JOURNEY, MODULE]) {
    const answer = await login(manager, 'ig_agent', 'password', method)
    assert.equal(answer.status, 200)
    const token = answer.body['tokenId'] as string
    assert.deepEqual(answer.body, { tokenId: token, successUrl: '/am/console', realm: '/' })
    assert.deepEqual(answer.headers.getSetCookie(), [`iPlanetDirectoryPro=${token}; Path=/; HttpOnly`])
  }
})

test('wrong names, wrong passwords and accounts of another kind are a login failure', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const failure = { code: 401, reason: 'Unauthorized', message: 'Login failure' }
  for (const [name, password, method] of [
    ['ig_agent', 'wrong', MODULE],
    ['unknown', 'password', MODULE],
    ['ig_agent', '', MODULE],
    ['demo', 'changeit', MODULE],
    ['ig_agent', 'password', ''],
  ] as const) {
    const answer = await login(manager, name, password, method)
    assert.equal(answer.status, 401)
    assert.deepEqual(answer.body, failure)
    assert.deepEqual(answer.headers.getSetCookie(), [])
  }
})

test('OpenAM has no agent journey; where cookies are HttpOnly the token may be in a cookie alone', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam', tokenInBody: false })
  assert.match(manager.url, /\/openam$/)
  assert.equal((await login(manager, 'ig_agent', 'password', JOURNEY)).status, 400)
  const answer = await login(manager, 'ig_agent', 'password', MODULE)
  assert.deepEqual(answer.body, { successUrl: '/openam/console', realm: '/' })
  const token = await agentToken(manager)
  const version = await sendRequest(manager, 'GET', '/json/serverinfo/version', {
    headers: { iPlanetDirectoryPro: token },
  })
  assert.match(String(version.body['version']), /^16\./)
})

test('accounts belong to a realm; that of the query takes precedence over the path', async () => {
  await using manager = await DevelopmentAccessManager.start({
    users: [{ name: 'ann', password: 'secret', realm: '/alpha' }],
  })
  assert.equal((await login(manager, 'ann', 'secret')).status, 401)
  assert.equal((await login(manager, 'ann', 'secret', '?realm=/alpha')).body['realm'], '/alpha')
})

test('without credentials callbacks are sent, whose signed authId is valid for one submission', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const post = (body: object): ReturnType<typeof sendRequest> =>
    sendRequest(manager, 'POST', '/json/authenticate', {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  const begin = async (): Promise<{ authId: string; callbacks: { type: string; input: { value: string }[] }[] }> =>
    (await post({})).body as never
  const questions = await begin()
  assert.deepEqual(
    questions.callbacks.map(({ type }) => type),
    ['NameCallback', 'PasswordCallback'],
  )
  const filled = (asked: typeof questions, password: string): object => {
    asked.callbacks[0]!.input[0]!.value = 'demo'
    asked.callbacks[1]!.input[0]!.value = password
    return asked
  }
  const answer = filled(questions, 'changeit')
  assert.equal(typeof (await post(answer)).body['tokenId'], 'string')
  assert.equal((await post(answer)).status, 401)
  assert.equal((await post(filled(await begin(), 'wrong'))).status, 401)
  const forged = { ...filled(await begin(), 'changeit'), authId: 'e30.c2ln' }
  assert.equal((await post(forged)).status, 401)
  const late = filled(await begin(), 'changeit')
  manager.advance(301_000)
  assert.equal((await post(late)).status, 401)
})

test('a body that is not JSON is rejected, by its media type and by its content', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const post = async (type: string, body: string): Promise<number> =>
    (await sendRequest(manager, 'POST', '/json/authenticate', { headers: { 'Content-Type': type }, body })).status
  assert.equal(await post('text/plain', 'x'), 415)
  assert.equal(await post('application/json', '['), 400)
  assert.equal(await post('application/json; charset=utf-8', '{}'), 200)
})

test('names beyond ASCII are encoded words for PingAM and bytes for OpenAM', async () => {
  const users = [{ name: 'Zoë', password: 'schlüssel €' }]
  const word = (text: string): string => `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`
  await using manager = await DevelopmentAccessManager.start({ users })
  assert.equal((await login(manager, word('Zoë'), word('schlüssel €'))).status, 200)
  assert.equal((await login(manager, '=?utf-8?Q?Zo=C3=AB?=', word('schlüssel €'))).status, 200)
  await using older = await DevelopmentAccessManager.start({
    family: 'openam',
    users: [{ name: 'Zoë', password: 'schlüssel' }],
  })
  assert.equal((await login(older, 'Zoë', 'schlüssel')).status, 200)
  assert.equal((await login(older, word('Zoë'), word('schlüssel'))).status, 200)
  const utf8 = (text: string) => Buffer.from(text).toString('latin1')
  const refused = await login(older, utf8('Zoë'), utf8('schlüssel'))
  assert.deepEqual([refused.status, refused.body['message']], [401, 'Authentication Failed'])
})

const advice = (name: string, value: string): string =>
  `<Advices><AttributeValuePair><Attribute name="${name}"/><Value>${value}</Value></AttributeValuePair></Advices>`

for (const [form, encode] of [
  ['XML', encodeURIComponent],
  ['base64url', (xml: string) => Buffer.from(xml).toString('base64url')],
] as const) {
  test(`composite advice as ${form} upgrades the session and replaces the old one`, async () => {
    await using manager = await DevelopmentAccessManager.start()
    const old = manager.login('demo')
    const tryUpgrade = (value: string): ReturnType<typeof upgrade> => upgrade(manager, old, encode(value))
    assert.equal((await tryUpgrade(advice('AuthLevelConditionAdvice', '99'))).status, 401)
    assert.equal((await tryUpgrade(advice('AuthenticateToServiceConditionAdvice', '/:Nowhere'))).status, 401)
    assert.equal((await tryUpgrade('<Advices>nonsense</Advices>')).status, 401)
    const answer = await tryUpgrade(advice('AuthLevelConditionAdvice', '5'))
    assert.equal(answer.status, 200)
    assert.notEqual(answer.body['tokenId'], old)
    assert.equal(manager.endSession(old), false)
    assert.equal(manager.endSession(String(answer.body['tokenId'])), true)
  })
}

test('a sufficient session is returned without callbacks', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const token = manager.login('demo')
  const post = (query: string): ReturnType<typeof sendRequest> =>
    sendRequest(manager, 'POST', `/json/authenticate${query}`, { headers: { iPlanetDirectoryPro: token } })
  assert.equal((await post('?authIndexType=module&authIndexValue=LDAP')).body['tokenId'], undefined)
  assert.equal((await post('')).body['tokenId'], token)
  const { body } = await login(manager, 'demo', 'changeit', '?authIndexType=service&authIndexValue=StepUp')
  const headers = { Cookie: `iPlanetDirectoryPro=${body['tokenId']}` }
  const again = await sendRequest(manager, 'POST', '/json/authenticate?authIndexType=service&authIndexValue=StepUp', {
    headers,
  })
  assert.equal(again.body['tokenId'], body['tokenId'])
})

function upgrade(manager: DevelopmentAccessManager, token: string, value: string): ReturnType<typeof sendRequest> {
  return sendRequest(manager, 'POST', `/json/authenticate?authIndexType=composite_advice&authIndexValue=${value}`, {
    headers: { iPlanetDirectoryPro: token, 'X-OpenAM-Username': 'demo', 'X-OpenAM-Password': 'changeit' },
  })
}
